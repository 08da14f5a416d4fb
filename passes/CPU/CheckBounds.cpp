// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// Calls that check, before an op runs, what its verifier could not: that slices
// and placements lie inside their tensors and that sizes agree. Without them a
// wrong size would read or write outside memory. What types prove costs
// nothing.
//===----------------------------------------------------------------------===//

#include "passes/CPU/CheckBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "passes/CPU/Passes.h"
#include "scanweft/Execution/Checks.h"

namespace scanweft {
#define GEN_PASS_DEF_CHECKBOUNDS
#include "passes/CPU/Passes.h.inc"
} // namespace scanweft

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// "file:line:column" of a location that has one.
static std::string describePlace(Location loc) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    stream << " at " << place.getFilename().getValue() << ':' << place.getLine()
           << ':' << place.getColumn();
  return text;
}

/// The text of a site, as a C string.
Value Checks::getSite(const Twine &what) {
  Location loc = current->getLoc();
  std::string text = (what + " of '" + current->getName().getStringRef() + "'" +
                      describePlace(loc))
                         .str();
  text.push_back('\0');
  LLVM::GlobalOp &site = sites[text];
  if (!site) {
    OpBuilder atEnd = OpBuilder::atBlockEnd(module.getBody());
    auto type =
        LLVM::LLVMArrayType::get(builder.getIntegerType(8), text.size());
    site = LLVM::GlobalOp::create(atEnd, loc, type, /*isConstant=*/true,
                                  LLVM::Linkage::Internal, "weft_site",
                                  builder.getStringAttr(text));
    symbols.insert(site);
  }
  return LLVM::AddressOfOp::create(builder, loc, site);
}

void Checks::call(StringRef function, ArrayRef<OpFoldResult> numbers,
                  const Twine &what) {
  Location loc = current->getLoc();
  SmallVector<Value> arguments =
      getValueOrCreateConstantIndexOp(builder, loc, numbers);
  arguments.push_back(getSite(what));
  if (!module.lookupSymbol(function)) {
    auto declaration = func::FuncOp::create(
        builder.getUnknownLoc(), function,
        builder.getFunctionType(ValueRange(arguments).getTypes(), {}));
    declaration.setPrivate();
    module.push_back(declaration);
  }
  func::CallOp::create(builder, loc, function, TypeRange(), arguments);
}

OpFoldResult Checks::sizeOf(Value shaped, int64_t dim) {
  if (isa<MemRefType>(shaped.getType()))
    return memref::getMixedSize(builder, current->getLoc(), shaped, dim);
  return tensor::getMixedSize(builder, current->getLoc(), shaped, dim);
}

void Checks::range(OpFoldResult offset, OpFoldResult size, OpFoldResult extent,
                   const Twine &what) {
  auto from = getConstantIntValue(offset);
  auto count = getConstantIntValue(size);
  auto end = getConstantIntValue(extent);
  bool isWhole = from == 0 && isEqualConstantIntOrValue(size, extent);
  if (isWhole || (from && count && end && *from >= 0 && *from <= *end - *count))
    return;
  call(kCheckRangeFunction, {offset, size, extent}, what);
}

void Checks::equal(OpFoldResult a, OpFoldResult b, const Twine &what) {
  if (!isEqualConstantIntOrValue(a, b))
    call(kCheckEqualFunction, {a, b}, what);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A slice of a tensor or a memref: both of its ends where the stride is not 1.
static void checkSlice(Checks &checks, OffsetSizeAndStrideOpInterface op,
                       Value tensor) {
  Location loc = op->getLoc();
  OpBuilder &builder = checks.builder;
  for (auto [dim, offset, size, stride] : llvm::enumerate(
           op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    OpFoldResult extent = checks.sizeOf(tensor, dim);
    if (getConstantIntValue(stride) == 1) {
      checks.range(offset, size, extent, "dim " + Twine(dim));
      continue;
    }
    auto toValue = [&](OpFoldResult number) {
      return getValueOrCreateConstantIndexOp(builder, loc, number);
    };
    Value one = toValue(checks.index(1));
    Value count = toValue(size);
    Value some = arith::MinSIOp::create(builder, loc, count, one);
    Value steps = arith::SubIOp::create(builder, loc, count, one);
    Value way = arith::MulIOp::create(builder, loc, steps, toValue(stride));
    Value last = arith::AddIOp::create(builder, loc, toValue(offset), way);
    checks.range(offset, some, extent, "dim " + Twine(dim));
    checks.range(last, some, extent, "dim " + Twine(dim));
  }
}

static void checkIndices(Checks &checks, Value tensor, ValueRange indices) {
  for (auto [dim, index] : llvm::enumerate(indices))
    checks.range(getAsOpFoldResult(index), checks.index(1),
                 checks.sizeOf(tensor, dim), "dim " + Twine(dim));
}

static void checkDim(Checks &checks, tensor::DimOp op) {
  int64_t rank = cast<RankedTensorType>(op.getSource().getType()).getRank();
  checks.range(getAsOpFoldResult(op.getIndex()), checks.index(1),
               checks.index(rank), "index");
}

/// Operands of an elementwise op have one shape.
static void checkElementwise(Checks &checks, Operation *op) {
  Value first;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      continue;
    if (!first) {
      first = operand;
      continue;
    }
    for (int64_t dim : llvm::seq(type.getRank()))
      checks.equal(checks.sizeOf(first, dim), checks.sizeOf(operand, dim),
                   "dim " + Twine(dim));
  }
}

/// The rows of a loop over chunks lie inside every slice and output.
static void checkRows(Checks &checks, ChunkedOp op) {
  Location loc = op.getLoc();
  OpBuilder &builder = checks.builder;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value difference =
      arith::SubIOp::create(builder, loc, op.getTo(), op.getFrom());
  Value count = arith::MaxSIOp::create(builder, loc, difference, zero);
  auto check = [&](ValueRange tensors, StringRef what) {
    for (auto [i, tensor] : llvm::enumerate(tensors))
      checks.range(getAsOpFoldResult(op.getFrom()), count,
                   checks.sizeOf(tensor, 0), what + " #" + Twine(i));
  };
  check(op.getSlices(), "slice");
  check(op.getOuts(), "out");
}

/// A placement lies inside its result. Rows by index are placed or not by their
/// index; the first dim that they span is theirs.
static void checkPlacement(Checks &checks, unsigned number,
                           const PlaceOp::Placement &placement, Value init) {
  unsigned spanned = 0;
  for (auto [dim, index] : llvm::enumerate(placement.indices)) {
    std::string what =
        ("dim " + Twine(dim) + " of value #" + Twine(number)).str();
    OpFoldResult extent = checks.sizeOf(init, dim);
    if (index) {
      checks.range(getAsOpFoldResult(index), checks.index(1), extent, what);
      continue;
    }
    if (spanned > 0 || !placement.rows)
      checks.equal(checks.sizeOf(placement.value, spanned), extent, what);
    ++spanned;
  }
}

static void checkPlace(Checks &checks, PlaceOp op) {
  auto kernel = cast<KernelOp>(op->getParentOp());
  for (auto [i, placement] : llvm::enumerate(op.getPlacements())) {
    Value init = kernel.getInits()[i];
    if (!placement.condition) {
      checkPlacement(checks, i, placement, init);
      continue;
    }
    auto guarded = scf::IfOp::create(checks.builder, op.getLoc(),
                                     placement.condition, false);
    OpBuilder::InsertionGuard guard(checks.builder);
    checks.builder.setInsertionPointToStart(guarded.thenBlock());
    checkPlacement(checks, i, placement, init);
  }
}

static void check(Checks &checks, Operation *op) {
  checks.moveTo(op);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return checkSlice(checks, slice, slice.getSource());
  if (auto view = dyn_cast<memref::SubViewOp>(op))
    return checkSlice(checks, view, view.getSource());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    return checkSlice(checks, slice, slice.getDest());
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return checkIndices(checks, extract.getTensor(), extract.getIndices());
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return checkIndices(checks, insert.getDest(), insert.getIndices());
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return checkDim(checks, dim);
  if (auto chunked = dyn_cast<ChunkedOp>(op))
    return checkRows(checks, chunked);
  if (auto place = dyn_cast<PlaceOp>(op))
    return checkPlace(checks, place);
  if (op->hasTrait<OpTrait::Elementwise>())
    return checkElementwise(checks, op);
  checkBodySizes(checks, op);
}

namespace {
struct CheckBoundsPass : scanweft::impl::CheckBoundsBase<CheckBoundsPass> {
  // Ops are collected first: checks are made of ops that need none.
  void runOnOperation() override {
    Checks checks(getOperation());
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      check(checks, op);
  }
};
} // namespace
