export { askEditor, chooseModel } from './editorModel.ts';
export { chooseModelFor } from './modelPicker.ts';
export { modelUsePage } from './modelUsePage.ts';
