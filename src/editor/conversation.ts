export { openChat } from './chat/chat.ts';
export { askEditor, chooseModel } from './models/editorModel.ts';
export { chooseModelFor } from './models/modelPicker.ts';
export { modelUsePage } from './models/modelUsePage.ts';
export { ChatHookSwitch } from './hooks/chatHookSwitch.ts';
export { chooseWrapped } from './hooks/wrapPicker.ts';
export { WrappedVendor } from './hooks/wrappedVendor.ts';
