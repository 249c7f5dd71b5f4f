import type { TreeNode } from '../../src/editor/shared/treeNode.ts';

/** The tree as indented text: `[x] label (description) <icon> #facets`. */
export function renderTree(nodes: readonly TreeNode[], indent = ''): string {
  return nodes
    .flatMap((node) => {
      const parts = [
        node.checkbox === undefined ? '' : node.checkbox.checked ? '[x]' : '[ ]',
        node.expansion === 'none' ? '' : node.expansion === 'expanded' ? 'v' : '>',
        node.label,
        node.description === '' ? '' : `(${node.description})`,
        node.icon === undefined ? '' : `<${node.icon.name}>`,
        node.facets.length === 0 ? '' : `#${node.facets.join('+')}`,
      ];
      const line = indent + parts.filter((part) => part !== '').join(' ');
      return node.children.length === 0 ? [line] : [line, renderTree(node.children, `${indent}  `)];
    })
    .join('\n');
}
