export { ChatElicitor, ChatSampler } from '../../core/index.ts';
export { EditorElicitor } from './elicitor.ts';
export { EditorSampler } from './sampler.ts';
export { clientText, enterClient, signInText } from './signInText.ts';
