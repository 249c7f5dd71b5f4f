export { ChatElicitor, ChatSampler } from '../core/index.ts';
export { decodePageState } from '../webview/form/formMessages.ts';
export { decodeTracePageState } from '../webview/trace/traceMessages.ts';
export { addServer } from './servers/addServer.ts';
export { DefinitionReview } from './tools/definitionReview.ts';
export { tryDemo } from './servers/demoServer.ts';
export { EditorElicitor } from './questions/elicitor.ts';
export {
  askEvents,
  askFirstSets,
  askLaterSets,
  chooseEvents,
  chooseFeatureSets,
} from './featureSets/featureSetDialogs.ts';
export { openOfferDesk } from './offers/offerDesk.ts';
export { EditorSampler } from './questions/sampler.ts';
export { clientText, enterClient, signInText } from './questions/signInText.ts';
export { reviewStart } from './servers/startReview.ts';
export { ToolFormPanel } from './tools/toolFormPanel.ts';
export { TracePanel } from './trace/tracePanel.ts';
export { WeakeningPrompt } from './settings/weakeningPrompt.ts';
export { pageOptions } from './shared/webviewPage.ts';
export { workingFolderText } from './servers/workingFolderText.ts';
