// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Threads/Instructions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace scanweft;

void scanweft::registerInstructionDialects(DialectRegistry &registry) {
  registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect>();
}

static Value constant(OpBuilder &builder, Location loc, int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(),
                                  builder.getI32IntegerAttr(value));
}

Value scanweft::buildThreadIndex(OpBuilder &builder, Location loc) {
  return NVVM::ThreadIdXOp::create(builder, loc, builder.getI32Type());
}

Value scanweft::buildBlockIndex(OpBuilder &builder, Location loc) {
  return NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type());
}

void scanweft::buildBarrier(OpBuilder &builder, Location loc) {
  NVVM::BarrierOp::create(builder, loc);
}

void scanweft::buildWarpBarrier(OpBuilder &builder, Location loc) {
  NVVM::SyncWarpOp::create(builder, loc, constant(builder, loc, -1));
}

/// A 32-bit view of a value, and back.
static Value castBits(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(builder, loc, type, value);
}

Value scanweft::buildShuffle(OpBuilder &builder, Location loc, ShuffleKind kind,
                             Value value, Value lane) {
  Type type = value.getType();
  Type carrier = type.isF32() ? type : builder.getI32Type();
  Value bits = castBits(builder, loc, value, carrier);
  auto mode = kind == ShuffleKind::Xor    ? NVVM::ShflKind::bfly
              : kind == ShuffleKind::Up   ? NVVM::ShflKind::up
              : kind == ShuffleKind::Down ? NVVM::ShflKind::down
                                          : NVVM::ShflKind::idx;
  // Up clamps at lane 0, the others at lane 31.
  Value clamp = constant(builder, loc, kind == ShuffleKind::Up ? 0 : 31);
  Value moved =
      NVVM::ShflOp::create(builder, loc, carrier, constant(builder, loc, -1),
                           bits, lane, clamp, mode, UnitAttr());
  return castBits(builder, loc, moved, type);
}

SmallVector<Value> scanweft::buildMatrixLoad(OpBuilder &builder, Location loc,
                                             Value address, unsigned count,
                                             bool transposed) {
  Type i32 = builder.getI32Type();
  Type result = count == 1
                    ? i32
                    : LLVM::LLVMStructType::getLiteral(
                          builder.getContext(), SmallVector<Type>(count, i32));
  auto context = builder.getContext();
  Value loaded = NVVM::LdMatrixOp::create(
      builder, loc, result, address, count,
      transposed ? NVVM::MMALayout::col : NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
      NVVM::LdStMatrixEltType::B16);
  if (count == 1)
    return {loaded};
  SmallVector<Value> matrices;
  for (unsigned i = 0; i < count; ++i)
    matrices.push_back(LLVM::ExtractValueOp::create(builder, loc, loaded, i));
  return matrices;
}

SmallVector<Value> scanweft::buildMatrixProduct(OpBuilder &builder,
                                                Location loc, FactorType type,
                                                ValueRange a, ValueRange b,
                                                ValueRange accumulator) {
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Type factor = type == FactorType::F16
                    ? Type(VectorType::get(2, builder.getF16Type()))
                    : i32;
  auto castAll = [&](ValueRange values) {
    return llvm::map_to_vector(values, [&](Value value) {
      return castBits(builder, loc, value, factor);
    });
  };
  auto element = type == FactorType::BF16  ? NVVM::MMATypes::bf16
                 : type == FactorType::F16 ? NVVM::MMATypes::f16
                                           : NVVM::MMATypes::tf32;
  SmallVector<int64_t> shape{16, 8, type == FactorType::TF32 ? 8 : 16};
  auto result = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                                 {f32, f32, f32, f32});
  Value product =
      NVVM::MmaOp::create(builder, loc, result, castAll(a), castAll(b),
                          accumulator, shape, std::nullopt, std::nullopt,
                          std::array<NVVM::MMATypes, 2>{element, element},
                          std::array<NVVM::MMALayout, 2>{NVVM::MMALayout::row,
                                                         NVVM::MMALayout::col});
  SmallVector<Value> sums;
  for (unsigned i = 0; i < 4; ++i)
    sums.push_back(LLVM::ExtractValueOp::create(builder, loc, product, i));
  return sums;
}

void scanweft::buildCopyAsync(OpBuilder &builder, Location loc, Value shared,
                              Value global, unsigned bytes, Value live) {
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(
      builder, loc, shared, global, builder.getI32IntegerAttr(bytes),
      NVVM::LoadCacheModifierKindAttr::get(builder.getContext(), cache), live);
}

void scanweft::buildCopyWait(OpBuilder &builder, Location loc) {
  NVVM::CpAsyncCommitGroupOp::create(builder, loc);
  NVVM::CpAsyncWaitGroupOp::create(builder, loc, 0);
}

Value scanweft::buildRoundToTF32(OpBuilder &builder, Location loc,
                                 Value value) {
  Value bits = NVVM::ConvertFloatToTF32Op::create(
      builder, loc, builder.getI32Type(), value, NVVM::FPRoundingMode::RNA);
  return castBits(builder, loc, bits, builder.getF32Type());
}

Value scanweft::buildVector(OpBuilder &builder, Location loc,
                            ValueRange elements) {
  Type type = VectorType::get(elements.size(), elements[0].getType());
  Value vector = LLVM::PoisonOp::create(builder, loc, type);
  for (auto [i, element] : llvm::enumerate(elements))
    vector = LLVM::InsertElementOp::create(builder, loc, vector, element,
                                           constant(builder, loc, i));
  return vector;
}

Value scanweft::buildElement(OpBuilder &builder, Location loc, Value vector,
                             unsigned element) {
  return LLVM::ExtractElementOp::create(builder, loc, vector,
                                        constant(builder, loc, element));
}

Value scanweft::buildOpaque(OpBuilder &builder, Location loc, Value value) {
  return LLVM::InlineAsmOp::create(
             builder, loc, value.getType(), value, builder.getStringAttr(""),
             builder.getStringAttr("=r,0"), builder.getUnitAttr(), UnitAttr(),
             LLVM::TailCallKindAttr::get(builder.getContext(),
                                         LLVM::TailCallKind::None),
             LLVM::AsmDialectAttr(), ArrayAttr())
      .getResult(0);
}
