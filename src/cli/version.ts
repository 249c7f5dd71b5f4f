export const VERSION = '0.1.0';

/** The client information sent to servers. */
export const CLIENT = { name: 'mcp-live', title: 'MCP Live', version: VERSION } as const;
