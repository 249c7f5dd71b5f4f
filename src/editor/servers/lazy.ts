export { addServer, tryDemo } from './newServer.ts';
export { reviewStart } from './startReview.ts';
export { workingFolderText } from './workingFolderText.ts';
