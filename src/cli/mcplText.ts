import { cleanLine, cleanText, type FeatureSetView, type McplDialect, type McplSnapshot } from '../core/index.ts';

const MAX_REMARK = 300;
const MAX_USES = 20;

/** How a server speaks MCPL, for a person to read. */
export function dialectText({ version, claimed, remarks, ...announced }: McplDialect): readonly string[] {
  const says = claimed === '' || claimed === version ? '' : ` (the server says ${cleanLine(claimed, 100)})`;
  return [
    `MCPL ${version}${says}: ${announcements(announced).join(', ') || 'announces nothing'}`,
    ...remarks.map((remark) => `  ${cleanLine(remark, MAX_REMARK)}`),
  ];
}

function announcements(dialect: Pick<McplDialect, 'pushEvents' | 'before' | 'after' | 'inference' | 'modelInfo'>) {
  const { pushEvents, before, after, inference, modelInfo } = dialect;
  return [
    ...(pushEvents ? ['push events'] : []),
    ...(before ? ['context before an inference'] : []),
    ...(after === 'none' ? [] : [after === 'blocking' ? 'changes answers' : 'reads answers']),
    ...(inference === 'none' ? [] : [inference === 'streaming' ? 'inference in pieces' : 'inference']),
    ...(modelInfo ? ['asks which model it is'] : []),
  ];
}

/** The feature sets, each as one item of a list. */
export function featureSetTexts({ sets }: McplSnapshot): readonly (readonly string[])[] {
  return sets.map(featureSetText);
}

function featureSetText(view: FeatureSetView): readonly string[] {
  const { set, tools } = view;
  const description = cleanText(set.description).trim();
  const uses = set.uses.slice(0, MAX_USES).map((use) => cleanLine(use, 100));
  const more = set.uses.length > MAX_USES ? [`and ${set.uses.length - MAX_USES} more`] : [];
  return [
    `  ${cleanLine(set.name, 256)} - ${stateText(view)}`,
    ...(description === '' ? [] : description.split('\n').map((line) => `    ${line}`)),
    ...(set.scoped ? ['    Scoped: its targets need an approval'] : []),
    `    Uses: ${[...uses, ...more].join(', ') || 'nothing declared'}`,
    ...(tools.length === 0 ? [] : [`    Tools: ${tools.map((tool) => cleanLine(tool, 200)).join(', ')}`]),
  ];
}

function stateText({ set, state }: FeatureSetView): string {
  switch (state) {
    case 'enabled':
      return 'on';
    case 'disabled':
      return 'off';
    case 'changed':
      return 'off, because its declaration changed since it was switched on';
    case 'new':
      return 'off, because it was declared after the matching wildcard was added';
    case 'invalid':
      return `cannot be switched on. ${cleanLine(set.problem ?? '', MAX_REMARK)}`.trim();
  }
}
