// Part of Scanweft, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//===----------------------------------------------------------------------===//
// The entry in LLVM IR.
//===----------------------------------------------------------------------===//

#include "JitEntry.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace scanweft;

/// Addresses of the arguments lie in an array at `arguments`.
static SmallVector<Value *>
loadArguments(IRBuilder<> &builder, Function &function, Value *arguments) {
  SmallVector<Value *> values;
  Type *pointer = builder.getPtrTy();
  for (Argument &argument : function.args()) {
    Value *slot = builder.CreateConstInBoundsGEP1_64(pointer, arguments,
                                                     argument.getArgNo());
    Value *address = builder.CreateLoad(pointer, slot);
    values.push_back(builder.CreateLoad(argument.getType(), address));
  }
  return values;
}

static ResultLayout layoutOf(Type *type, const DataLayout &dataLayout,
                             bool isList) {
  ResultLayout layout;
  if (type->isVoidTy())
    return layout;
  layout.bytes = dataLayout.getTypeAllocSize(type);
  if (!isList) {
    layout.offsets.push_back(0);
    return layout;
  }
  const StructLayout *fields =
      dataLayout.getStructLayout(cast<StructType>(type));
  for (unsigned i = 0, e = cast<StructType>(type)->getNumElements(); i < e; ++i)
    layout.offsets.push_back(fields->getElementOffset(i));
  return layout;
}

ResultLayout scanweft::addEntry(Module &module, Function &function,
                                bool severalResults) {
  for (Function &other : module)
    if (!other.isDeclaration())
      other.setLinkage(GlobalValue::InternalLinkage);
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::getUnqual(context);
  auto *type = FunctionType::get(Type::getVoidTy(context), {pointer, pointer},
                                 /*isVarArg=*/false);
  auto *entry =
      Function::Create(type, GlobalValue::ExternalLinkage, kEntryName, module);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", entry));
  CallInst *call = builder.CreateCall(
      &function, loadArguments(builder, function, entry->getArg(0)));
  if (!call->getType()->isVoidTy())
    builder.CreateStore(call, entry->getArg(1));
  builder.CreateRetVoid();
  return layoutOf(call->getType(), module.getDataLayout(), severalResults);
}
