// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// First a plan: the new size of every class of dims, closed under the relations
// between classes, and checked. Then one rewrite of types, and of the few
// attributes that hold a size.
//===----------------------------------------------------------------------===//

#include "passes/Schedule/InstantiateSizes.h"
#include "dialects/Weft/IR/WeftRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "scanweft/Analysis/DimClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::weft;

using Class = DimClasses::Class;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
class SizePlan {
public:
  explicit SizePlan(Operation *root) : root(root), classes(root) {}

  /// Takes in what is asked for, what follows, and refuses what cannot be.
  LogicalResult make(const SizeRequests &requests);

  const DimClasses &getClasses() const { return classes; }
  int64_t getSize(Class dims) const {
    dims = classes.getClass(dims);
    auto found = sizes.find(dims);
    return found == sizes.end() ? classes.getSize(dims) : found->second;
  }
  int64_t getSize(Value value, unsigned dim) const {
    std::optional<Class> dims = classes.getClass(value, dim);
    return dims ? getSize(*dims)
                : cast<RankedTensorType>(value.getType()).getDimSize(dim);
  }

private:
  InFlightDiagnostic refuse(Location loc) const {
    return emitError(loc, "weft-instantiate: ");
  }
  LogicalResult requestRows(int64_t rows);
  LogicalResult requestDim(StringRef name, int64_t size);
  LogicalResult assign(Location loc, Class dims, int64_t size,
                       const Twine &wish);
  int64_t getRelatedSize(const DimClasses::Relation &relation) const;
  LogicalResult followRelations();
  LogicalResult verifyNames(const SizeRequests &requests) const;
  LogicalResult verifyFixedSizes() const;
  std::string listNames() const;

  Operation *root;
  DimClasses classes;
  llvm::MapVector<Class, int64_t> sizes;
};
} // namespace

/// Where the first member of a class stands.
static Location getLocation(const DimClasses &classes, Class dims) {
  return classes.getMembers(dims).front().first.getLoc();
}

LogicalResult SizePlan::assign(Location loc, Class dims, int64_t size,
                               const Twine &wish) {
  auto [entry, isNew] = sizes.insert({classes.getClass(dims), size});
  if (isNew || entry->second == size)
    return success();
  return refuse(loc) << wish << " gives " << size
                     << " rows or features to dims "
                     << "that are to have " << entry->second
                     << ": dims that must agree have one size";
}

LogicalResult SizePlan::requestRows(int64_t rows) {
  if (rows < 1 || !llvm::isPowerOf2_64(rows))
    return refuse(root->getLoc()) << "rows is " << rows << rule::K8;
  bool hasLoop = false;
  WalkResult result = root->walk([&](ChunkedOp loop) {
    hasLoop = true;
    std::optional<Class> dims = classes.getRows(loop);
    if (dims &&
        failed(assign(loop.getLoc(), *dims, rows, "rows=" + Twine(rows))))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!hasLoop)
    return refuse(root->getLoc())
           << "rows is " << rows << " and there is no 'weft.chunked': rows are "
           << "those of its chunks";
  return success();
}

std::string SizePlan::listNames() const {
  SmallVector<StringRef> names;
  for (Class dims : classes.getClasses())
    for (StringAttr name : classes.getNames(dims))
      if (!llvm::is_contained(names, name.getValue()))
        names.push_back(name.getValue());
  if (names.empty())
    return "no argument names its dims by '" + kDimNames.str() + "'";
  return "the dims named are " + llvm::join(names, ", ");
}

LogicalResult SizePlan::requestDim(StringRef name, int64_t size) {
  if (size < 1)
    return refuse(root->getLoc())
           << name << " is " << size << ": a size is positive";
  bool isFound = false;
  for (Class dims : classes.getClasses()) {
    auto hasName = [&](StringAttr other) { return other.getValue() == name; };
    if (llvm::none_of(classes.getNames(dims), hasName))
      continue;
    isFound = true;
    if (ShapedType::isDynamic(classes.getSize(dims)))
      return refuse(getLocation(classes, dims))
             << name << '=' << size << " names a dim of dynamic size: a launch "
             << "gives it";
    if (failed(assign(getLocation(classes, dims), dims, size,
                      name + "=" + Twine(size))))
      return failure();
  }
  if (isFound)
    return success();
  return refuse(root->getLoc())
         << "no dim is named '" << name << "': " << listNames();
}

/// The size of a relation's whole that follows from its parts.
int64_t SizePlan::getRelatedSize(const DimClasses::Relation &relation) const {
  using Kind = DimClasses::Relation::Kind;
  if (relation.kind == Kind::Slots) {
    Class levels = relation.parts[0], rows = relation.parts[1];
    int64_t moreLevels = getSize(levels) - classes.getSize(levels);
    int64_t moreRows = static_cast<int64_t>(llvm::Log2_64(getSize(rows))) -
                       llvm::Log2_64(classes.getSize(rows));
    return classes.getSize(relation.whole) + moreLevels - moreRows;
  }
  bool isSum = relation.kind == Kind::Sum;
  int64_t size = isSum ? 0 : 1;
  for (Class part : relation.parts) {
    if (ShapedType::isDynamic(getSize(part)))
      return ShapedType::kDynamic;
    size = isSum ? size + getSize(part) : size * getSize(part);
  }
  return size;
}

LogicalResult SizePlan::followRelations() {
  // A relation's whole may be a part of the next one: as many rounds as there
  // are relations reach all.
  for ([[maybe_unused]] const auto &round : classes.getRelations())
    for (const DimClasses::Relation &relation : classes.getRelations()) {
      int64_t size = getRelatedSize(relation);
      if (size == getSize(relation.whole) || ShapedType::isDynamic(size))
        continue;
      if (size < 1)
        return refuse(relation.op->getLoc())
               << "chunks of " << getSize(relation.parts.back())
               << " rows leave " << size << " slots of the stack for "
               << getSize(relation.parts.front())
               << " levels: at least one level reads it";
      if (failed(assign(relation.op->getLoc(), relation.whole, size,
                        "'" + relation.op->getName().getStringRef() + "'")))
        return failure();
    }
  return success();
}

/// All names of a class whose size changes are asked for.
LogicalResult SizePlan::verifyNames(const SizeRequests &requests) const {
  for (auto [dims, size] : sizes) {
    if (size == classes.getSize(dims))
      continue;
    for (StringAttr name : classes.getNames(dims)) {
      auto isName = [&](const auto &dim) {
        return dim.first == name.getValue();
      };
      if (llvm::none_of(requests.dims, isName))
        return refuse(getLocation(classes, dims))
               << "dims that are to have size " << size << " include '"
               << name.getValue() << "' of size " << classes.getSize(dims)
               << ", which must agree: " << name.getValue() << '=' << size
               << " is not asked for";
    }
  }
  return success();
}

LogicalResult SizePlan::verifyFixedSizes() const {
  for (auto [dims, size] : sizes) {
    Operation *op = classes.getFixingOp(dims);
    if (!op || size == classes.getSize(dims))
      continue;
    InFlightDiagnostic diagnostic =
        refuse(op->getLoc())
        << '\'' << op->getName() << "' fixes a dim of size "
        << classes.getSize(dims) << " that is to have size " << size;
    diagnostic.attachNote(getLocation(classes, dims))
        << "it must agree with this value's dim #"
        << classes.getMembers(dims).front().second;
    return diagnostic;
  }
  return success();
}

LogicalResult SizePlan::make(const SizeRequests &requests) {
  if (requests.rows && failed(requestRows(*requests.rows)))
    return failure();
  for (const auto &[name, size] : requests.dims)
    if (failed(requestDim(name, size)))
      return failure();
  return failure(failed(followRelations()) || failed(verifyNames(requests)) ||
                 failed(verifyFixedSizes()));
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

/// What constants, slices and reshapes hold of sizes. Types of values are old.
static void resizeAttributes(Operation *op, const SizePlan &plan) {
  auto resizeSlice = [&](auto slice, Value whole) {
    SmallVector<int64_t> sizes(slice.getStaticSizes());
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [i, size] : llvm::enumerate(sizes))
      if (!ShapedType::isDynamic(size) && !dropped[i] &&
          size == cast<RankedTensorType>(whole.getType()).getDimSize(i))
        size = plan.getSize(whole, i);
    slice.setStaticSizes(sizes);
  };
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    resizeSlice(slice, slice.getSource());
  if (auto slice = dyn_cast<tensor::InsertSliceOp>(op))
    resizeSlice(slice, slice.getDest());
  if (auto read = dyn_cast<FenwickReadOp>(op)) {
    // Slot 0 is the level above those inside a chunk.
    Value rows = read.getQuery();
    int64_t before = cast<RankedTensorType>(rows.getType()).getDimSize(0);
    int64_t first = read.getFirst() - llvm::Log2_64(before) +
                    llvm::Log2_64(plan.getSize(rows, 0));
    read.setFirst(first);
  }
}

static void resizeType(Value value, const SizePlan &plan) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return;
  SmallVector<int64_t> shape;
  for (unsigned dim : llvm::seq<unsigned>(type.getRank()))
    shape.push_back(type.isDynamicDim(dim) ? ShapedType::kDynamic
                                           : plan.getSize(value, dim));
  value.setType(type.clone(shape));
}

/// What holds the type of its result as an attribute.
static void followResultType(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    auto type = dyn_cast<ShapedType>(constant.getType());
    if (splat && type && splat.getType() != type)
      constant.setValueAttr(splat.resizeSplat(type));
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    expand.setStaticOutputShape(expand.getResultType().getShape());
}

static void followSignature(FunctionOpInterface function) {
  if (function.isExternal())
    return;
  auto results = llvm::to_vector(function.getResultTypes());
  for (Block &block : function.getFunctionBody())
    if (block.getTerminator()->hasTrait<OpTrait::ReturnLike>())
      results = llvm::to_vector(block.getTerminator()->getOperandTypes());
  function.setType(function.cloneTypeWith(
      function.getFunctionBody().getArgumentTypes(), results));
}

LogicalResult scanweft::instantiateSizes(Operation *root,
                                         const SizeRequests &requests) {
  SizePlan plan(root);
  if (failed(plan.make(requests)))
    return failure();
  root->walk([&](Operation *op) { resizeAttributes(op, plan); });
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      resizeType(result, plan);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          resizeType(argument, plan);
    followResultType(op);
    if (auto loop = dyn_cast<ChunkedOp>(op); loop && requests.rows)
      loop.setChunk(*requests.rows);
  });
  root->walk([](FunctionOpInterface function) { followSignature(function); });
  return success();
}
