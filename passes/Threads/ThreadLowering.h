// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The program of one thread. A tile is the list of the elements that the thread
// holds, register 0 first; elements of 16 bits stand in pairs, two registers a
// value, so that conversions and matrix instructions take them as they are.
//===----------------------------------------------------------------------===//

#ifndef SCANWEFT_PASSES_THREADS_THREADLOWERING_H
#define SCANWEFT_PASSES_THREADS_THREADLOWERING_H

#include "dialects/WTile/IR/WTile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Threads/Instructions.h"
#include "scanweft/Layout/SharedLayout.h"

namespace scanweft {

/// A window of global memory: strides in elements.
struct GlobalView {
  mlir::Value base;
  llvm::SmallVector<mlir::OpFoldResult> sizes, strides;
  mlir::Type elementType;
};

/// A buffer, or a block of one.
struct SharedBuffer {
  SharedLayout layout; ///< of the whole buffer
  mlir::Value base;    ///< of the whole buffer, !llvm.ptr<3>
  Coordinates offsets; ///< of the block in it
  mlir::Type elementType;
};

/// A linear map's part that depends on the thread, and the bits it can set.
struct ThreadPart {
  mlir::Value value; ///< i32; null where it is zero
  uint32_t bits = 0;
};

class ThreadLowering {
public:
  ThreadLowering(wtile::KernelOp kernel, mlir::OpBuilder &builder)
      : kernel(kernel), builder(builder), loc(kernel.getLoc()) {}

  /// Fills `body`, whose arguments are the kernel's parameters in parts.
  mlir::LogicalResult run(mlir::Block &body);

private:
  using Elements = llvm::SmallVector<mlir::Value>;
  using Thunk = llvm::function_ref<void()>;

  // Structure: ThreadLowering.cpp
  void unpackParameters(mlir::Block &body);
  void buildCoordinates(mlir::Block &body, unsigned firstExtent);
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::LogicalResult lowerLoop(mlir::scf::ForOp op);
  mlir::LogicalResult lowerConditional(mlir::scf::IfOp op);
  void lowerScalar(mlir::Operation &op);
  void lowerElementwise(mlir::Operation &op);
  void lowerConstant(mlir::Operation &op);
  void lowerCoordinate(wtile::CoordinateOp op);
  void lowerBroadcast(wtile::BroadcastOp op);
  void lowerTranspose(wtile::TransposeOp op);
  void lowerExtract(wtile::ExtractOp op);
  void lowerConcat(wtile::ConcatOp op);
  void lowerRound(wtile::RoundOp op);
  void flatten(mlir::Value value, Elements &flat);
  void flattenTypes(mlir::Type type, llvm::SmallVector<mlir::Type> &flat);
  void bindFlat(mlir::Value value, mlir::ValueRange &flat);

  // Data exchange between lanes: Exchange.cpp
  void lowerReduce(wtile::ReduceOp op);
  void lowerScan(wtile::ScanOp op);
  void lowerRelayout(wtile::RelayoutOp op);
  Elements combine(mlir::Region &region, mlir::ValueRange earlier,
                   mlir::ValueRange later);
  Elements combineOverLane(wtile::ReduceOp op, mlir::ValueRange own,
                           unsigned bit);
  void scanLine(wtile::ScanOp op, llvm::ArrayRef<unsigned> line,
                unsigned numLanes, llvm::MutableArrayRef<Elements> scanned,
                llvm::ArrayRef<Elements> sources);
  Elements scanLanes(wtile::ScanOp op, mlir::ValueRange own, unsigned numLanes);
  Elements selectAll(mlir::Value condition, mlir::ValueRange yes,
                     mlir::ValueRange no);

  // Global memory: GlobalMemory.cpp
  mlir::LogicalResult lowerSubview(mlir::memref::SubViewOp op);
  void lowerDim(mlir::memref::DimOp op);
  void lowerLoad(wtile::LoadOp op);
  void lowerStore(wtile::StoreOp op);
  void lowerScatter(wtile::ScatterOp op);
  void lowerCopy(wtile::CopyAsyncOp op);
  /// Calls `access` for each run of registers that lies in consecutive memory.
  void forEachPiece(const LinearLayout &layout, unsigned pieceBits,
                    llvm::function_ref<void(unsigned reg)> access);
  unsigned getPieceBits(const LinearLayout &layout, const GlobalView &view);
  mlir::Value getAddress(const GlobalView &view, mlir::Value row,
                         const LinearLayout &layout, unsigned reg);
  mlir::Value getRow(mlir::Value first, const LinearLayout &layout,
                     unsigned reg);
  mlir::Value isLive(mlir::Value from, mlir::Value to,
                     const LinearLayout &layout, unsigned reg);
  void storePieces(mlir::Value tile, const GlobalView &view,
                   llvm::function_ref<mlir::Value(unsigned)> row,
                   llvm::function_ref<mlir::Value(unsigned)> live);
  mlir::Value getIndexedRow(wtile::CopyAsyncOp op, const LinearLayout &layout,
                            unsigned reg, mlir::Value &live);

  // Shared memory: SharedMemory.cpp
  SharedBuffer getBuffer(mlir::Value buffer);
  mlir::Value getSharedAddress(const SharedBuffer &buffer,
                               const LinearLayout &layout, unsigned reg);
  void lowerStoreShared(wtile::StoreSharedOp op);
  void lowerLoadShared(wtile::LoadSharedOp op);
  void lowerTake(wtile::TakeOp op);
  Elements loadMatrices(const SharedBuffer &buffer, const LinearLayout &layout,
                        unsigned dim);
  mlir::Value getElementAddress(const SharedBuffer &buffer, mlir::Value line,
                                mlir::Value column);
  void lowerLoadSlot(wtile::LoadSlotOp op);
  void lowerStoreSlot(wtile::StoreSlotOp op);
  mlir::Value getSlotAddress(mlir::Value stack, int64_t slot, unsigned reg,
                             unsigned numRegisters, unsigned count);
  GlobalView getSlotView(mlir::Value stack, int64_t slot);
  void lowerBarrier();

  // Products and blocks: Products.cpp, Blocks.cpp
  void lowerMma(wtile::MmaOp op);
  void lowerFactor(wtile::FactorSharedOp op);
  void lowerInvert(wtile::InvertSharedOp op);

  // Layout questions: Coordinates.cpp
  ThreadPart getThreadPart(const LinearLayout &layout, unsigned dim);
  mlir::Value addConstant(const ThreadPart &part, uint32_t value);
  mlir::Value getCoordinate(const LinearLayout &layout, unsigned reg,
                            unsigned dim);
  /// Only one of several equal copies acts.
  void onOneCopy(const LinearLayout &layout, Thunk act);
  void when(mlir::Value condition, Thunk act);

  // Values
  const LinearLayout &layoutOf(mlir::Value tile) {
    return *wtile::getLayout(tile);
  }
  static bool isPaired(mlir::Type elementType, unsigned numRegisters) {
    return elementType.isIntOrFloat() &&
           elementType.getIntOrFloatBitWidth() == 16 && numRegisters > 1;
  }
  mlir::Type getElementType(mlir::Value tile) {
    return mlir::cast<mlir::RankedTensorType>(tile.getType()).getElementType();
  }
  /// One value per register, pairs taken apart.
  Elements getElements(mlir::Value tile);
  void setElements(mlir::Value tile, mlir::ValueRange elements);
  /// As they are kept.
  llvm::ArrayRef<mlir::Value> getKept(mlir::Value tile) { return tiles[tile]; }
  mlir::Value scalar(mlir::Value value) {
    return scalars.lookupOrDefault(value);
  }
  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value index(int64_t value);
  mlir::Value asIndex(mlir::OpFoldResult value);
  mlir::Value asI64(mlir::Value index);
  mlir::Value asI32(mlir::Value index);
  mlir::Value asI64(mlir::OpFoldResult value) { return asI64(asIndex(value)); }
  mlir::Value offsetBytes(mlir::Value pointer, mlir::Value bytes);
  void pin();

  wtile::KernelOp kernel;
  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::IRMapping scalars;
  llvm::DenseMap<mlir::Value, Elements> tiles;
  llvm::DenseMap<mlir::Value, GlobalView> views;
  mlir::Value lane, warp, shared;
};

} // namespace scanweft

#endif // SCANWEFT_PASSES_THREADS_THREADLOWERING_H
