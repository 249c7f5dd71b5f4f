export { ChatHookSwitch } from './chatHookSwitch.ts';
export { chooseWrapped } from './wrapPicker.ts';
export { WrappedVendor } from './wrappedVendor.ts';
