// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/LayoutAssignment.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "scanweft/Layout/Relayout.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace scanweft;
using namespace scanweft::wtile;

static RankedTensorType getTile(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Where values are found
//===----------------------------------------------------------------------===//

bool scanweft::isTile(Value value) {
  return isa<RankedTensorType>(value.getType());
}

bool scanweft::isElementwise(Operation *op) {
  return op->getNumResults() == 1 && isTile(op->getResult(0)) &&
         (isa<RoundOp>(op) || OpTrait::hasElementwiseMappableTraits(op));
}

static bool areAllAnywhere(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return !isTile(operand) || getHome(operand) == TileHome::Anywhere;
  });
}

/// What an elementwise op makes is made again where that is cheap: masks, and
/// rows of memory in a wider type.
static TileHome getElementwiseHome(Operation *op) {
  if (isa<arith::ExtFOp>(op))
    return getHome(op->getOperand(0)) == TileHome::Registers
               ? TileHome::Registers
               : TileHome::Anywhere;
  Type element = getTile(op->getResult(0)).getElementType();
  return element.isInteger() && areAllAnywhere(op) ? TileHome::Anywhere
                                                   : TileHome::Registers;
}

TileHome scanweft::getHome(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return TileHome::Registers;
  if (isElementwise(op))
    return getElementwiseHome(op);
  return TypeSwitch<Operation *, TileHome>(op)
      .Case<arith::ConstantOp, CoordinateOp, BroadcastOp, TransposeOp,
            tensor::SplatOp, tensor::FromElementsOp>(
          [](auto) { return TileHome::Anywhere; })
      .Case([](LoadOp load) {
        return load->getParentOfType<scf::ForOp>() ? TileHome::Shared
                                                   : TileHome::Global;
      })
      .Case<GatherOp, FactorBlockOp, InvertBlocksOp>(
          [](auto) { return TileHome::Shared; })
      .Case([](ExtractOp extract) {
        return getHome(extract.getSource()) == TileHome::Shared
                   ? TileHome::Shared
                   : TileHome::Registers;
      })
      .Default([](Operation *) { return TileHome::Registers; });
}

//===----------------------------------------------------------------------===//
// Layouts of parts
//===----------------------------------------------------------------------===//

LinearLayout scanweft::dropToDims(const LinearLayout &layout,
                                  ArrayRef<int64_t> dims) {
  LinearLayout rest = layout;
  for (unsigned dim = layout.getRank(); dim-- > 0;)
    if (!llvm::is_contained(dims, dim))
      rest = rest.dropDim(dim);
  return rest;
}

std::optional<LinearLayout> scanweft::getBlockLayout(const LinearLayout &layout,
                                                     ArrayRef<int64_t> shape) {
  auto isInside = [&](const Coordinates &basis) {
    return llvm::all_of(llvm::zip_equal(basis, shape), [](auto entry) {
      return std::get<0>(entry) < std::get<1>(entry);
    });
  };
  Bases registers;
  for (LayoutInput input : layoutInputs)
    for (const Coordinates &basis : layout.getBases(input)) {
      if (isInside(basis)) {
        if (input == LayoutInput::Register)
          registers.push_back(basis);
        continue;
      }
      // One step from block to block, and only in registers.
      unsigned moved = llvm::count_if(basis, [](int32_t step) { return step; });
      if (input != LayoutInput::Register || moved != 1)
        return std::nullopt;
    }
  return LinearLayout(shape, registers, layout.getBases(LayoutInput::Lane),
                      layout.getBases(LayoutInput::Warp));
}

/// The layout of a tile of `shape` whose aligned blocks are held in `layout`.
static LinearLayout getWhole(const LinearLayout &layout,
                             ArrayRef<int64_t> shape) {
  Bases registers = layout.getBases(LayoutInput::Register);
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    for (int64_t step = layout.getShape()[dim]; step < shape[dim]; step *= 2) {
      Coordinates basis(shape.size(), 0);
      basis[dim] = static_cast<int32_t>(step);
      registers.push_back(basis);
    }
  return LinearLayout(shape, registers, layout.getBases(LayoutInput::Lane),
                      layout.getBases(LayoutInput::Warp));
}

LinearLayout scanweft::getWholeLayout(const LinearLayout &layout, unsigned dim,
                                      unsigned count) {
  SmallVector<int64_t> shape(layout.getShape());
  shape[dim] *= count;
  return getWhole(layout, shape);
}

//===----------------------------------------------------------------------===//
// What instructions want
//===----------------------------------------------------------------------===//

LinearLayout LayoutAssignment::getScanLayout(ArrayRef<int64_t> shape,
                                             unsigned dim) const {
  if (shape.size() == 1)
    return makeVectorLayout(shape[0], numWarps);
  return makeLinesLayout(shape, dim == 0 ? shape.size() - 1 : 0, numWarps);
}

LinearLayout LayoutAssignment::getDefault(Value value) const {
  ArrayRef<int64_t> shape = getTile(value).getShape();
  if (shape.empty())
    return makeScalarLayout(numWarps);
  if (shape.size() == 1)
    return makeVectorLayout(shape[0], numWarps);
  if (shape.size() == 2 && shape[0] >= 16 && shape[1] >= 8)
    return makeAccumulatorLayout(shape,
                                 splitWarps(numWarps, shape[0], shape[1]));
  return makeRowPieces(shape, getTile(value).getElementTypeBitWidth() / 8,
                       numWarps);
}

std::optional<LinearLayout> LayoutAssignment::getAnchor(Value value) const {
  RankedTensorType type = getTile(value);
  if (type.getRank() == 0)
    return makeScalarLayout(numWarps);
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto product = dyn_cast<MmaOp>(op))
    return getMatrixFragments(product, numWarps).accumulator;
  if (auto scan = dyn_cast<ScanOp>(op))
    return getScanLayout(type.getShape(), scan.getDim());
  if (isa<LoadSlotOp, scf::IfOp, scf::ForOp>(op) && type.getRank() == 2)
    return getDefault(value);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Wishes
//===----------------------------------------------------------------------===//

void LayoutAssignment::wish(Value value, const LinearLayout &layout,
                            int64_t weight) {
  auto attribute = LayoutAttr::get(kernel.getContext(), layout);
  wishes[value][attribute] += weight;
}

std::optional<LinearLayout>
LayoutAssignment::getHeaviestWish(Value value) const {
  auto found = wishes.find(value);
  if (found == wishes.end())
    return std::nullopt;
  auto heaviest = found->second.begin();
  for (auto it = heaviest; it != found->second.end(); ++it)
    if (it->second > heaviest->second)
      heaviest = it;
  return cast<LayoutAttr>(heaviest->first).getMap();
}

LinearLayout LayoutAssignment::estimate(Value value) {
  auto known = layouts.find(value);
  if (known != layouts.end())
    return known->second;
  if (auto anchor = getAnchor(value))
    return *anchor;
  if (auto heaviest = getHeaviestWish(value))
    return *heaviest;
  return getDefault(value);
}

static int64_t getVolume(Value value) {
  return getTile(value).getNumElements();
}

/// What a user of tiles asks of its operands, once what is asked of its results
/// is known.
void LayoutAssignment::wishOfUser(Operation *op) {
  auto wanted = [&](Value result) {
    return getAnchor(result) || wishes.count(result);
  };
  if (isElementwise(op)) {
    Value result = op->getResult(0);
    if (!wanted(result)) // a default is nobody's wish
      return;
    LinearLayout layout = estimate(result);
    for (Value operand : op->getOperands())
      if (isTile(operand))
        wish(operand, layout, getVolume(operand));
    return;
  }
  TypeSwitch<Operation *>(op)
      .Case([&](BroadcastOp broadcast) {
        if (wanted(broadcast.getResult()))
          wish(broadcast.getSource(),
               dropToDims(estimate(broadcast.getResult()), broadcast.getDims()),
               getVolume(broadcast.getResult()));
      })
      .Case([&](TransposeOp transpose) {
        if (wanted(transpose.getResult()))
          wish(transpose.getSource(),
               estimate(transpose.getResult()).permuteDims({1, 0}),
               getVolume(transpose.getResult()));
      })
      .Case([&](ConcatOp concat) {
        if (!wanted(concat.getResult()))
          return;
        LinearLayout whole = estimate(concat.getResult());
        for (Value source : concat.getSources())
          if (auto block = getBlockLayout(whole, getTile(source).getShape()))
            wish(source, *block, getVolume(source));
      })
      .Case([&](ExtractOp extract) {
        if (wanted(extract.getResult()))
          wish(extract.getSource(),
               getWhole(estimate(extract.getResult()),
                        getTile(extract.getSource()).getShape()),
               getVolume(extract.getResult()));
      })
      .Case([&](MmaOp product) {
        MatrixFragments fragments = getMatrixFragments(product, numWarps);
        wish(product.getLhs(), fragments.first, getVolume(product.getLhs()));
        wish(product.getAccumulator(), fragments.accumulator,
             getVolume(product.getAccumulator()));
      })
      .Case([&](ScanOp scan) {
        for (Value source : scan.getSources())
          wish(source, getScanLayout(getTile(source).getShape(), scan.getDim()),
               getVolume(source));
      })
      .Case([&](TakeOp take) {
        if (wanted(take.getResult()))
          wish(take.getColumns(), estimate(take.getResult()),
               getVolume(take.getColumns()));
      })
      .Case([&](StoreSlotOp store) {
        wish(store.getTile(), getDefault(store.getTile()),
             getVolume(store.getTile()));
      });
}

/// A carried matrix is an accumulator; a carried vector what most of its
/// readers want, those behind the loop included.
LinearLayout LayoutAssignment::getCarryLayout(scf::ForOp loop, unsigned index) {
  Value argument = loop.getRegionIterArg(index);
  if (getTile(argument).getRank() != 1)
    return getDefault(argument);
  Wishes behind = wishes.lookup(loop.getResult(index));
  for (auto &[layout, weight] : behind)
    wishes[argument][layout] += weight;
  return estimate(wishes.count(argument) ? argument
                                         : loop.getYieldedValues()[index]);
}

void LayoutAssignment::wishOfLoop(scf::ForOp loop) {
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (isTile(argument) && getTile(argument).getRank() != 1)
      wish(loop.getYieldedValues()[index], getDefault(argument),
           getVolume(argument));
  wishBelow(*loop.getBody());
  for (auto [index, argument] : llvm::enumerate(loop.getRegionIterArgs())) {
    if (!isTile(argument))
      continue;
    LinearLayout layout = getCarryLayout(loop, index);
    assign(argument, layout);
    assign(loop.getResult(index), layout);
    wish(loop.getYieldedValues()[index], layout, getVolume(argument));
    wish(loop.getInitArgs()[index], layout, getVolume(argument));
  }
}

void LayoutAssignment::wishBelow(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      wishOfLoop(loop);
      continue;
    }
    if (auto conditional = dyn_cast<scf::IfOp>(op)) {
      for (Region &region : conditional->getRegions()) {
        if (region.empty())
          continue;
        Operation *yield = region.front().getTerminator();
        for (auto [value, result] :
             llvm::zip_equal(yield->getOperands(), conditional.getResults()))
          if (isTile(value))
            wish(value, estimate(result), getVolume(value));
        wishBelow(region.front());
      }
      continue;
    }
    wishOfUser(&op);
  }
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

void LayoutAssignment::assign(Value value, const LinearLayout &layout) {
  layouts.insert_or_assign(value, layout);
}

/// What a reduction, a block or a whole inherits from its operand.
std::optional<LinearLayout> LayoutAssignment::getNatural(Value value) {
  Operation *op = value.getDefiningOp();
  return TypeSwitch<Operation *, std::optional<LinearLayout>>(op)
      .Case([&](ReduceOp reduce) {
        return estimate(reduce.getSources()[0]).dropDim(reduce.getDim());
      })
      .Case([&](ExtractOp extract) -> std::optional<LinearLayout> {
        return getBlockLayout(estimate(extract.getSource()),
                              getTile(value).getShape());
      })
      .Case([&](ConcatOp concat) {
        return getWholeLayout(estimate(concat.getSources()[0]), concat.getDim(),
                              concat.getSources().size());
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Instructions that a layout of `result` makes: moving the operands to it and
/// it to those who wish another, and the op itself once per register.
int64_t LayoutAssignment::getPrice(Operation *op, Value result,
                                   const LinearLayout &layout) {
  int64_t price = layout.getNumRegisters();
  auto move = [&](Value from, const LinearLayout &to) {
    auto known = layouts.find(from);
    if (known != layouts.end() && known->second.getShape() == to.getShape())
      price += planRelayout(known->second, to).cost;
  };
  for (Value operand : op->getOperands()) {
    if (!isTile(operand))
      continue;
    if (auto broadcast = operand.getDefiningOp<BroadcastOp>())
      move(broadcast.getSource(), dropToDims(layout, broadcast.getDims()));
    else if (auto transpose = operand.getDefiningOp<TransposeOp>())
      move(transpose.getSource(), layout.permuteDims({1, 0}));
    else
      move(operand, layout);
  }
  auto wished = wishes.find(result);
  if (wished != wishes.end())
    for (auto &[other, weight] : wished->second)
      price += planRelayout(layout, cast<LayoutAttr>(other).getMap()).cost;
  return price;
}

LinearLayout LayoutAssignment::choose(Operation *op, Value result) {
  llvm::SmallSetVector<Attribute, 4> candidates;
  auto add = [&](const LinearLayout &layout) {
    candidates.insert(LayoutAttr::get(kernel.getContext(), layout));
  };
  for (Value operand : op->getOperands()) {
    if (!isTile(operand) ||
        getTile(operand).getShape() != getTile(result).getShape())
      continue;
    auto transpose = operand.getDefiningOp<TransposeOp>();
    if (layouts.count(operand))
      add(get(operand));
    else if (transpose && layouts.count(transpose.getSource()))
      add(get(transpose.getSource()).permuteDims({1, 0}));
  }
  auto wished = wishes.find(result);
  if (wished != wishes.end())
    for (auto &[layout, weight] : wished->second)
      candidates.insert(layout);
  if (candidates.empty())
    return getDefault(result);
  Attribute best = candidates[0];
  int64_t least = INT64_MAX;
  for (Attribute candidate : candidates) {
    int64_t price = getPrice(op, result, cast<LayoutAttr>(candidate).getMap());
    if (price < least) {
      least = price;
      best = candidate;
    }
  }
  return cast<LayoutAttr>(best).getMap();
}

void LayoutAssignment::assignResults(Operation *op) {
  for (Value result : op->getResults()) {
    if (!isTile(result) || layouts.count(result) ||
        getHome(result) != TileHome::Registers)
      continue;
    if (auto anchor = getAnchor(result))
      assign(result, *anchor);
    else if (auto natural = getNatural(result))
      assign(result, *natural);
    else if (!isa<ExtractOp>(op)) // else a part of a shared buffer
      assign(result, choose(op, result));
  }
}

void LayoutAssignment::assignBelow(Block &block) {
  for (Operation &op : block) {
    assignResults(&op);
    for (Region &region : op.getRegions())
      if (!region.empty() && isa<scf::ForOp, scf::IfOp>(op))
        assignBelow(region.front());
  }
}

void LayoutAssignment::run() {
  wishBelow(kernel.getBody().front());
  assignBelow(kernel.getBody().front());
}
