declare module 'd3-hierarchy' {
  export interface Placed {
    readonly x: number;
    readonly y: number;
  }

  interface Node {
    each(visit: (node: Placed) => void): void;
  }

  interface Stratify<Row> {
    (rows: readonly Row[]): Node;
    id(of: (row: Row) => string): this;
    parentId(of: (row: Row) => string): this;
  }

  interface Tree {
    (root: Node): Node;
    nodeSize(size: readonly [number, number]): this;
  }

  export function stratify<Row>(): Stratify<Row>;
  export function tree(): Tree;
}
