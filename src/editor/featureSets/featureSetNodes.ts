import {
  cleanLine,
  cleanText,
  type FeatureSetView,
  type LineageSummary,
  type ServerSnapshot,
} from '../../core/index.ts';
import { isMuted, isOn, onText, pushes, undeclaredText, usableSets, usesLines, usesText } from './featureSetText.ts';
import { FACETS } from '../shared/ids.ts';
import { checkpointsNode } from '../lineage/lineageNodes.ts';
import { LEAF, lines, MAX_LABEL, nodeId, type NodeCheckbox, type TreeNode, WARNING_ICON } from '../shared/treeNode.ts';

/** Sets with a common name prefix. The prefix itself may be a set too. */
interface Branch {
  readonly path: string;
  own: FeatureSetView | undefined;
  readonly below: Map<string, Branch>;
}

/** The feature sets of a server as one row. Empty for a plain MCP server. */
export function featureSetsNodes(
  server: ServerSnapshot,
  lineages: readonly LineageSummary[] = [],
): readonly TreeNode[] {
  if (server.mcpl === undefined) return [];
  const { sets } = server.mcpl;
  const count = sets.length === 0 ? 'none declared' : onText(usableSets(server));
  const node: TreeNode = {
    ...LEAF,
    id: nodeId('featureSets', server.id),
    kind: 'featureSets',
    server: server.id,
    label: 'Feature Sets',
    description: count,
    tooltip:
      sets.length === 0
        ? 'The server speaks MCPL but declares no feature sets, so it cannot use any MCPL feature.'
        : 'MCPL features of the server. A checked set is on. All are off until you turn them on.',
    spoken: `Feature Sets, ${count}`,
    icon: { name: 'checklist' },
    facets: [FACETS.featureSets],
    expansion: sets.length === 0 ? 'none' : 'collapsed',
    children: rows({ server: server.id, lineages }, treeOf(sets)),
  };
  return [node];
}

function treeOf(views: readonly FeatureSetView[]): Branch {
  const root: Branch = { path: '', own: undefined, below: new Map() };
  for (const view of views) {
    let at = root;
    for (const step of stepsOf(view.set.name)) {
      const next = at.below.get(step) ?? { path: joined(at.path, step), own: undefined, below: new Map() };
      at.below.set(step, next);
      at = next;
    }
    at.own ??= view;
  }
  return root;
}

/** A name with consecutive dots has no displayable path. */
function stepsOf(name: string): readonly string[] {
  const steps = name.split('.');
  return steps.includes('') ? [name] : steps;
}

function joined(path: string, step: string): string {
  return path === '' ? step : `${path}.${step}`;
}

/** The server of the sets, and its stored states. */
interface Owner {
  readonly server: string;
  readonly lineages: readonly LineageSummary[];
}

function rows(owner: Owner, branch: Branch): readonly TreeNode[] {
  return [...branch.below].map(([step, child]) => row(owner, child, step));
}

function row(owner: Owner, branch: Branch, label: string): TreeNode {
  const [only] = branch.below;
  // Skips a row whose only content is one other row.
  if (branch.own === undefined && branch.below.size === 1 && only !== undefined)
    return row(owner, only[1], joined(label, only[0]));
  return branch.own !== undefined && branch.below.size === 0
    ? setRow(owner, branch.own, label)
    : groupRow(owner, branch, label);
}

function setRow(owner: Owner, view: FeatureSetView, label: string): TreeNode {
  const { server } = owner;
  const { set, state } = view;
  const children = checkpointsOf(owner, view);
  const description = [
    ...warnings(view),
    ...(isMuted(view) ? ['muted'] : []),
    ...(view.set.scoped ? ['scoped'] : []),
    usesText(view),
    ...(view.alsoEvents === 'allowed' ? ['also events'] : []),
  ]
    .filter((part) => part !== '')
    .join(' · ');
  const name = cleanLine(set.name, MAX_LABEL);
  const isUsable = state !== 'invalid';
  return {
    ...LEAF,
    id: nodeId('featureSet', server, set.name),
    kind: 'featureSet',
    server,
    featureSet: set.name,
    featureSets: isUsable ? [set.name] : [],
    label: cleanLine(label, MAX_LABEL),
    description,
    tooltip: setTooltip(view),
    spoken: `${name}, ${isOn(view) ? 'on' : 'off'}${description === '' ? '' : `, ${description}`}`,
    icon: warnings(view).length > 0 ? WARNING_ICON : undefined,
    facets: facetsOf(view),
    checkbox: isUsable ? checkbox(name, isOn(view)) : undefined,
    expansion: children.length === 0 ? 'none' : 'expanded',
    children,
  };
}

/** The checkbox means all on or not. The editor has no third state, so a partial selection is described in text. */
function groupRow(owner: Owner, branch: Branch, label: string): TreeNode {
  const { server } = owner;
  const views = usableBelow(branch);
  const { own, path } = branch;
  const name = cleanLine(path, MAX_LABEL);
  const all = views.length > 0 && views.every(isOn);
  const some = !all && views.some(isOn);
  const itself = own !== undefined && some ? [`itself ${isOn(own) ? 'on' : 'off'}`] : [];
  const shownWarnings = own === undefined ? [] : warnings(own);
  const description = [onText(views), ...itself, ...shownWarnings].join(' · ');
  return {
    ...LEAF,
    id: nodeId('featureSet', server, path),
    kind: 'featureSet',
    server,
    featureSet: own?.set.name,
    featureSets: views.map(({ set }) => set.name),
    label: cleanLine(label, MAX_LABEL),
    description,
    tooltip:
      own === undefined
        ? `${name}\nAll feature sets below this name, ${onText(views)}.`
        : setTooltip(own, `With the sets below it: ${onText(views)}.`),
    spoken: `${name}, ${description}`,
    icon: shownWarnings.length > 0 ? WARNING_ICON : undefined,
    facets: own === undefined ? [FACETS.featureSet] : facetsOf(own),
    checkbox: views.length === 0 ? undefined : checkbox(`${name} and all below`, all),
    expansion: 'expanded',
    children: [...(own === undefined ? [] : checkpointsOf(owner, own)), ...rows(owner, branch)],
  };
}

function checkpointsOf({ lineages }: Owner, { set }: FeatureSetView): readonly TreeNode[] {
  return lineages.filter(({ featureSet }) => featureSet === set.name).map((summary) => checkpointsNode(summary));
}

function usableBelow({ own, below }: Branch): readonly FeatureSetView[] {
  const here = own === undefined || own.state === 'invalid' ? [] : [own];
  return [...here, ...[...below.values()].flatMap(usableBelow)];
}

function warnings(view: FeatureSetView): readonly string[] {
  const undeclared = undeclaredText(view);
  return [
    ...(view.state === 'invalid' ? ['cannot be used'] : []),
    ...(view.state === 'changed' ? ['changed since you allowed it'] : []),
    ...(view.state === 'new' ? ['new'] : []),
    ...(undeclared === undefined ? [] : [undeclared]),
  ];
}

function facetsOf(view: FeatureSetView): TreeNode['facets'] {
  const canMute = view.state !== 'invalid' && pushes(view) && !isMuted(view);
  const events = view.alsoEvents === 'allowed' ? FACETS.allowedEvents : FACETS.undeclaredEvents;
  const canChoose = isOn(view) && view.alsoEvents !== undefined;
  return [FACETS.featureSet, ...(canMute ? [FACETS.pushes] : []), ...(canChoose ? [events] : [])];
}

function checkbox(name: string, checked: boolean): NodeCheckbox {
  const tooltip = checked ? 'On. Clear to turn it off.' : 'Off. Check to turn it on.';
  return { checked, tooltip, spoken: `Turn on ${name}` };
}

const SCOPED =
  'Scoped: the scope lists in the settings allow or deny the targets of its calls and requests. You are asked about other targets.';

function setTooltip(view: FeatureSetView, below?: string): string {
  const { set, tools } = view;
  const undeclared = undeclaredText(view);
  const muted =
    'You get no notifications of its events. To get them again, change "push" in the settings of the server.';
  return lines(
    cleanLine(set.name, MAX_LABEL),
    // The host's text first, because server text may be longer than the tooltip.
    stateSentence(view),
    below,
    undeclared === undefined ? undefined : `${undeclared}.`,
    view.alsoEvents === 'allowed' ? 'It does not declare events; you allowed them.' : undefined,
    isMuted(view) ? muted : undefined,
    set.scoped ? SCOPED : undefined,
    ...(set.uses.length === 0 ? [] : ['It declares these uses:', ...usesLines(view)]),
    tools.length === 0 ? undefined : `Its tools: ${cleanLine(tools.join(', '), MAX_LABEL)}`,
    set.description === '' ? undefined : `\n${cleanText(set.description)}`,
  );
}

function stateSentence({ set, state }: FeatureSetView): string {
  switch (state) {
    case 'enabled':
      return 'On.';
    case 'disabled':
      return 'Off: the host refuses everything that belongs to it.';
    case 'invalid':
      return cleanText(`It cannot be turned on: ${set.problem ?? 'its declaration is invalid.'}`);
    case 'new':
      return 'Off: the server declared it after you added the matching wildcard. Check it to turn it on.';
    case 'changed':
      return 'Off: its declaration changed since you turned it on. Check it to allow the new declaration.';
  }
}
