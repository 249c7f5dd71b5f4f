import { NoteBook } from './notes.ts';
import { noteTools } from './noteTools.ts';
import { isFields, problemsOf, withDefaults } from './schema.ts';
import { summaryTool } from './summaryTool.ts';
import type { DemoTool, ToolContext, ToolOutcome } from './tool.ts';

export function notesTools(now: () => Date = () => new Date()): readonly DemoTool[] {
  const notes = new NoteBook(now);
  return [...noteTools(notes), summaryTool(notes)];
}

/** Invalid arguments give a tool error instead of a protocol error, so that the model can correct them. */
export async function callTool(tool: DemoTool, args: unknown, context: ToolContext): Promise<ToolOutcome> {
  const given = args ?? {};
  const problems = problemsOf(given, tool.inputSchema, isFields(given) ? '' : 'arguments');
  if (problems.length > 0 || !isFields(given)) return { text: problems.join('\n'), isError: true };
  return tool.run(withDefaults(given, tool.inputSchema), context);
}
