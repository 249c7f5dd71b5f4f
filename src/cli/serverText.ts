import {
  cleanLine,
  cleanText,
  type FeatureSetView,
  isJsonArray,
  isJsonObject,
  isRunning,
  type Json,
  type JsonObject,
  type Listing,
  type McplDialect,
  type McplSnapshot,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ServerSnapshot,
  type ServerState,
  type Tool,
} from '../core/index.ts';

/** A running server and its lists, for display. */
export function serverText(server: ServerSnapshot): string {
  const { state, tools, resources, templates, prompts, listing, listings, mcpl } = server;
  const lines = isRunning(state) ? [...introduction(state, server)] : [];
  lines.push(...section('Feature sets', mcpl === undefined ? [] : featureSetTexts(mcpl), { kind: 'read' }));
  const ofTools = tools.map(({ tool }) => toolText(tool));
  lines.push(...(tools.length === 0 && listing.kind !== 'failed' ? ['', 'No tools.'] : []));
  lines.push(...section('Tools', ofTools, listing));
  lines.push(...section('Resources', resources.map(resourceText), listings.resources));
  // Templates fail with the resources, so report the failure once.
  lines.push(...section('Resource templates', templates.map(templateText), { kind: 'read' }));
  lines.push(...section('Prompts', prompts.map(promptText), listings.prompts));
  return `${lines.join('\n')}\n`;
}

function introduction(
  state: Extract<ServerState, { kind: 'running' }>,
  { capabilities, mcpl }: ServerSnapshot,
): readonly string[] {
  const { name, title, version, description, instructions } = state.info;
  const id = cleanLine(`${name} ${version}`, 200).trim();
  const names = Object.keys(capabilities)
    .map((each) => cleanLine(each, 100))
    .join(', ');
  return [
    title === undefined ? id || '(a server without a name)' : `${cleanLine(title, 200)} (${id})`,
    ...(description === undefined ? [] : indented(cleanText(description), '  ')),
    `MCP ${cleanLine(state.protocolVersion, 50)}`,
    ...(mcpl === undefined ? [] : dialectText(mcpl.dialect)),
    `Connection: ${connectionText(state.connection)}`,
    `Capabilities: ${names || 'none'}`,
    ...(instructions === undefined ? [] : ['Instructions:', ...indented(cleanText(instructions), '  ')]),
  ];
}

function connectionText(connection: Extract<ServerState, { kind: 'running' }>['connection']): string {
  const { era, isDialect, roundTripMs, transport, session } = connection;
  return [
    transport,
    `${era} era`,
    ...(isDialect ? ['short dialect'] : []),
    `first answer after ${Math.round(roundTripMs)} ms`,
    ...(session === undefined ? [] : [`session ${cleanLine(session, 100)}`]),
  ].join(', ');
}

function section(title: string, items: readonly (readonly string[])[], listing: Listing): readonly string[] {
  const failure = listing.kind === 'failed' ? ['', `${title}: not read. ${cleanLine(listing.error.message)}`] : [];
  if (items.length === 0) return failure;
  return [...failure, '', `${title} (${items.length}):`, ...items.flatMap((lines) => ['', ...lines])];
}

function toolText(tool: Tool): readonly string[] {
  const lines = [...heading(tool.name, tool), `    Hints: ${hintText(tool)}`];
  const members = schemaText(tool.inputSchema, '      ');
  lines.push(...(members.length === 0 ? ['    No arguments.'] : ['    Arguments:', ...members]));
  return lines;
}

interface Described {
  readonly title: string | undefined;
  readonly description: string | undefined;
}

function heading(id: string, { title, description }: Described): readonly string[] {
  const name = cleanLine(id, 1_000);
  return [
    title === undefined ? `  ${name}` : `  ${name} - ${cleanLine(title, 200)}`,
    ...(description === undefined ? [] : indented(cleanText(description), '    ')),
  ];
}

function hintText({ hints }: Tool): string {
  const world = hints.openWorld ? 'reaches beyond this machine' : 'stays local';
  if (hints.readOnly) return `only reads, ${world}`;
  const effect = hints.destructive ? 'may destroy' : 'only adds';
  return `${effect}, ${hints.idempotent ? 'repeating changes nothing more, ' : ''}${world}`;
}

function resourceText(resource: Resource): readonly string[] {
  const { uri, title, name, description, mimeType, size } = resource;
  const facts = [
    ...(mimeType === undefined ? [] : [cleanLine(mimeType, 100)]),
    ...(size === undefined ? [] : [`${size} bytes`]),
  ];
  return [
    ...heading(uri, { title: title ?? name, description }),
    ...(facts.length === 0 ? [] : [`    ${facts.join(', ')}`]),
  ];
}

function templateText({ uriTemplate, title, name, description, mimeType }: ResourceTemplate): readonly string[] {
  return [
    ...heading(uriTemplate, { title: title ?? name, description }),
    ...(mimeType === undefined ? [] : [`    ${cleanLine(mimeType, 100)}`]),
  ];
}

function promptText(prompt: Prompt): readonly string[] {
  const args = prompt.arguments.map(argumentText);
  return [...heading(prompt.name, prompt), ...(args.length === 0 ? [] : ['    Arguments:', ...args])];
}

function argumentText({ name, title, description, required }: Prompt['arguments'][number]): string {
  const words = [title, description].filter((text) => text !== undefined && text !== '').join(': ');
  return `      ${cleanLine(`${name}${required ? ' (required)' : ''} ${words}`.trim(), 300)}`;
}

function indented(text: string, indent: string): readonly string[] {
  return text
    .trim()
    .split('\n')
    .map((line) => indent + line);
}

const MAX_DEPTH = 4;
const MAX_MEMBERS = 200;
const MAX_LINE = 300;

/** The members of an object schema, one line each, with nested ones indented. The text is untrusted. */
export function schemaText(schema: JsonObject, indent = '', depth = 1): readonly string[] {
  const properties = schema['properties'];
  if (!isJsonObject(properties)) return [];
  const required = isJsonArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys(properties);
  const lines = names.slice(0, MAX_MEMBERS).flatMap((name) => {
    const property = properties[name];
    if (!isJsonObject(property)) return [`${indent}${cleanLine(name, 100)}`];
    const line = memberText(name, property, required.includes(name));
    return [indent + line, ...(depth < MAX_DEPTH ? schemaText(inner(property), `${indent}  `, depth + 1) : [])];
  });
  return names.length > MAX_MEMBERS ? [...lines, `${indent}… and ${names.length - MAX_MEMBERS} more`] : lines;
}

function memberText(name: string, property: JsonObject, isRequired: boolean): string {
  const { default: preset, description, title } = property;
  const facts = [typeText(property), ...(isRequired ? ['required'] : []), ...limits(property)];
  if (preset !== undefined) facts.push(`default ${JSON.stringify(preset)}`);
  const words = [title, description]
    .filter((text) => typeof text === 'string')
    .filter((text) => text !== '')
    .join(': ');
  return cleanLine(`${name} (${facts.join(', ')})${words === '' ? '' : ` ${words}`}`, MAX_LINE);
}

function typeText(property: JsonObject): string {
  const { type, enum: choices, const: fixed, format } = property;
  if (isJsonArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (fixed !== undefined) return JSON.stringify(fixed);
  const variants = [property['anyOf'], property['oneOf']].find(isJsonArray);
  if (type === undefined && variants !== undefined) return variants.map(variantText).join(' or ');
  if (type === 'array') return `array of ${variantText(property['items'])}`;
  const text = isJsonArray(type) ? type.map(String).join(' or ') : typeof type === 'string' ? type : 'any';
  return typeof format === 'string' ? `${text}, ${format}` : text;
}

function variantText(schema: Json | undefined): string {
  return isJsonObject(schema) ? typeText(schema) : 'any';
}

function limits(property: JsonObject): readonly string[] {
  const { minimum, maximum } = property;
  if (minimum !== undefined && maximum !== undefined)
    return [`${JSON.stringify(minimum)} to ${JSON.stringify(maximum)}`];
  if (minimum !== undefined) return [`at least ${JSON.stringify(minimum)}`];
  return maximum === undefined ? [] : [`at most ${JSON.stringify(maximum)}`];
}

/** The schema of an object, or of the items of a list. */
function inner(property: JsonObject): JsonObject {
  return isJsonObject(property['items']) ? property['items'] : property;
}

const MAX_REMARK = 300;
const MAX_USES = 20;

/** A server's MCPL variant, for display. */
function dialectText({ version, claimed, remarks, ...announced }: McplDialect): readonly string[] {
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

/** The feature sets, each as one list item. */
function featureSetTexts({ sets }: McplSnapshot): readonly (readonly string[])[] {
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
