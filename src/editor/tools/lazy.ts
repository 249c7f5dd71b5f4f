export { DefinitionReview } from './definitionReview.ts';
export { ToolFormPanels } from './toolFormPanel.ts';
