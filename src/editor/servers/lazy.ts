export { addServer } from './addServer.ts';
export { tryDemo } from './demoServer.ts';
export { reviewStart } from './startReview.ts';
export { workingFolderText } from './workingFolderText.ts';
