import type { Json } from '../base/json.ts';
import type { Annotations, Icon } from '../model/catalog.ts';
import { list, number, object, text, texts } from './members.ts';

const MAX_ICONS = 20;
/** Maximum characters of a `data:` URI. Larger images are not used as icons. */
const MAX_SOURCE = 200_000;

/**
 * The icons that are safe to show. MCP 2025-11-25 "Icons": only `https:` and `data:`, because other schemes
 * (`javascript:`, `file:`, `vscode:`) have side effects.
 */
export function decodeIcons(value: Json | undefined): readonly Icon[] {
  return list(value).slice(0, MAX_ICONS).flatMap(decodeIcon);
}

function decodeIcon(value: Json): readonly Icon[] {
  const icon = object(value);
  const src = text(icon?.['src']);
  if (icon === undefined || src === undefined || src.length > MAX_SOURCE || !isSafeSource(src)) return [];
  const { theme, sizes } = icon;
  return [
    {
      src,
      mimeType: text(icon['mimeType']),
      // Drafts of the revision used a single string.
      sizes: typeof sizes === 'string' ? sizes.split(/\s+/).filter((size) => size !== '') : texts(sizes),
      theme: theme === 'light' || theme === 'dark' ? theme : undefined,
    },
  ];
}

function isSafeSource(src: string): boolean {
  return /^https:\/\/[^\s/?#@]+(?:[/?#]\S*)?$/i.test(src) || /^data:image\/[\w.+-]+[;,]/i.test(src);
}

export function decodeAnnotations(value: Json | undefined): Annotations {
  const annotations = object(value) ?? {};
  const priority = number(annotations['priority']);
  return {
    audience: texts(annotations['audience']).filter((one) => one === 'user' || one === 'assistant'),
    priority: priority === undefined ? undefined : Math.min(1, Math.max(0, priority)),
    lastModified: text(annotations['lastModified']),
  };
}
