export { openChat } from './chat.ts';
export { askEditor, chooseModel } from './editorModel.ts';
export { chooseModelFor } from './modelPicker.ts';
export { modelUsePage } from './modelUsePage.ts';
export { ChatHookSwitch } from './chatHooks.ts';
export { chooseWrapped } from './wrapPicker.ts';
export { WrappedVendor } from './wrappedVendor.ts';
