/** Creates an SVG element. */
export function drawing<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  children: readonly Node[] = [],
): SVGElementTagNameMap[K] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const ICONS = {
  export: 'M8 10V2.5M5 5.5l3-3 3 3M2.5 9.5v4h11v-4',
  import: 'M8 2.5V10M5 7l3 3 3-3M2.5 9.5v4h11v-4',
  head: 'M8 1.5v3M8 11.5v3M1.5 8h3M11.5 8h3M8 4.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 1 0 0-7',
  open: 'M9 2.5h4.5V7M13.5 2.5 8 8M6.5 3.5h-4v10h10v-4',
  compare: 'M2.5 3.5h4v9h-4zM9.5 3.5h4v9h-4z',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  pin: 'M5.5 2.5h5M6.5 2.5v4L4.5 9h7l-2-2.5v-4M8 9v4.5',
  chat: 'M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z',
  back: 'M6.5 3.5 3 7l3.5 3.5M3 7h6.5a3.5 3.5 0 0 1 0 7H7',
  warning: 'M8 2.5 14 13.5H2zM8 6.5v3.5M8 11.3v.9',
} as const;

/** A 16-pixel icon. The text next to it or its label has the same meaning. */
export function icon(name: keyof typeof ICONS): SVGSVGElement {
  const shape = drawing('path', { d: ICONS[name] });
  return drawing('svg', { class: 'icon', viewBox: '0 0 16 16', width: '16', height: '16', 'aria-hidden': 'true' }, [
    shape,
  ]);
}
