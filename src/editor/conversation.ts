export { answerChat } from './chatTurn.ts';
export { askEditor, chooseModel } from './editorModel.ts';
