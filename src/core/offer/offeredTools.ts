import type { Tool } from '../model/catalog.ts';
import type { McplSettings, McplSnapshot } from '../model/mcpl.ts';
import type { OfferedTool, ServerDefinition } from '../model/server.ts';
import { effectiveAutoApprove } from '../consent/startConsent.ts';
import { isForAppsOnly, toolsOff } from '../mcpl/toolFeatureSets.ts';
import type { Consent } from '../ports.ts';
import type { ToolTrust } from './trustedTools.ts';

interface OfferedToolsOptions {
  readonly definition: ServerDefinition | undefined;
  readonly consent: Consent | undefined;
  readonly tools: readonly Tool[];
  readonly mcpl: McplSnapshot | undefined;
  readonly settings: McplSettings;
  readonly trust: Pick<ToolTrust, 'isTrusted' | 'changeOf'>;
  remarkOn(tool: Tool): string | undefined;
}

/** The tools of a server, and how models may use each. */
export function offeredTools(options: OfferedToolsOptions): readonly OfferedTool[] {
  const { definition, consent, tools, mcpl, settings, trust } = options;
  const hidden = new Set(definition?.hiddenTools);
  const approved = new Set(definition === undefined ? [] : effectiveAutoApprove(definition, consent));
  const off = toolsOff(tools, mcpl, settings.toolFeatureSets);
  return tools.map((tool) => {
    const setsOff = off.get(tool.name);
    const forApps = isForAppsOnly(tool);
    const offered = !hidden.has(tool.name) && setsOff === undefined && !forApps;
    const isApproved = approved.has(tool.name);
    const autoApproved = isApproved && trust.isTrusted(tool);
    const change = isApproved && !autoApproved ? trust.changeOf(tool) : undefined;
    const remark = options.remarkOn(tool);
    const extras = { ...(forApps && { forApps }), ...(change && { change }), ...(remark !== undefined && { remark }) };
    return { tool, offered, autoApproved, ...setsOff, ...extras };
  });
}

/** Names approved by the user's own settings. The workspace's approvals need their own prompt. */
export function ownApprovals(definition: ServerDefinition | undefined): readonly string[] {
  const { autoApprove = [], workspaceAutoApprove = [] } = definition ?? {};
  return autoApprove.filter((name) => !workspaceAutoApprove.includes(name));
}
