import type { Json } from '../base/json.ts';
import type { ServerInfo } from '../model/catalog.ts';
import { decodeIcons } from './icons.ts';
import { object, text } from './members.ts';

/** The server's information, from `serverInfo` of its handshake or of a stateless result. */
export function decodeServerInfo(serverInfo: Json | undefined, instructions: Json | undefined): ServerInfo {
  const info = object(serverInfo) ?? {};
  const description = text(info['description']);
  const websiteUrl = text(info['websiteUrl']);
  const icons = decodeIcons(info['icons']);
  return {
    name: text(info['name']) ?? '',
    title: text(info['title']),
    version: text(info['version']) ?? '',
    instructions: text(instructions),
    ...(description !== undefined && { description }),
    ...(websiteUrl !== undefined && { websiteUrl }),
    ...(icons.length > 0 && { icons }),
  };
}
