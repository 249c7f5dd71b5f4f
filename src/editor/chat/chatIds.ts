/** A button of a question in an answer; given the question's id and the answer. */
export const ANSWER_TOOL_QUESTION = '_mcpl.answerToolQuestion';
