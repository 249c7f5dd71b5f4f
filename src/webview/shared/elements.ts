/** Options for a new element. Texts always become text nodes, so text from a server is never parsed as HTML. */
interface ElementOptions {
  readonly id?: string;
  readonly class?: string;
  readonly text?: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly children?: readonly Node[];
}

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  options: ElementOptions = {},
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (options.id !== undefined) made.id = options.id;
  if (options.class !== undefined) made.className = options.class;
  for (const [name, value] of Object.entries(options.attributes ?? {})) made.setAttribute(name, value);
  if (options.text !== undefined) made.textContent = options.text;
  made.append(...(options.children ?? []));
  return made;
}

export function button(text: string, look: 'primary' | 'secondary' | 'link', action: () => void): HTMLButtonElement {
  const made = element('button', { class: look, text, attributes: { type: 'button' } });
  made.addEventListener('click', action);
  return made;
}

export function show(target: HTMLElement, visible: boolean): void {
  target.hidden = !visible;
}
