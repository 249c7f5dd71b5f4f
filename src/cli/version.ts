export const VERSION = '0.1.0';

/** How this host introduces itself to servers. */
export const CLIENT = { name: 'mcp-live', title: 'MCP Live', version: VERSION } as const;
