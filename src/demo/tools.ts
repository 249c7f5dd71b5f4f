import { NoteBook } from './notes.ts';
import { noteTools } from './noteTools.ts';
import { isFields, problemsOf, withDefaults } from './schema.ts';
import { summaryTool } from './summaryTool.ts';
import type { DemoTool, ToolContext, ToolOutcome } from './tool.ts';

export function notesTools(now: () => Date = () => new Date()): readonly DemoTool[] {
  const notes = new NoteBook(now);
  return [...noteTools(notes), summaryTool(notes)];
}

/** Wrong arguments are a result and no protocol error, so that the model reads what to do better. */
export async function callTool(tool: DemoTool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
  const given = args ?? {};
  const problems = problemsOf(given, tool.inputSchema, isFields(given) ? '' : 'arguments');
  if (problems.length > 0 || !isFields(given)) return { text: problems.join('\n'), isError: true };
  return tool.run(withDefaults(given, tool.inputSchema), context);
}
