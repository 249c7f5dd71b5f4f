import type { Grant, ScopeGrant } from '../../core/index.ts';
import { integer, list, oneOf, optionalInteger, optionalText, record, type Row, text, type Value } from './records.ts';

/** In the order of the columns. */
export function grantValues(grant: Grant): Value[] {
  const { id, direction, kind, server, at } = grant;
  if (kind === 'featureSet') return [id, direction, kind, server, grant.target, grant.form, at, null];
  const { key, fingerprint, featureSet, action, label, targets, payloadHash, lifetime, by, until } = grant;
  const details = { featureSet, action, label, targets, payloadHash, lifetime, by, until };
  return [id, direction, kind, server, key, fingerprint, at, JSON.stringify(details)];
}

/** Throws for a row that is no grant: what is not understood in full allows nothing. */
export function grantOf(row: Row): Grant {
  const common = {
    id: text(row['id'], 'id'),
    direction: oneOf(row['direction'], ['toServer'], 'direction'),
    server: text(row['server'], 'server'),
    at: integer(row['at'], 'at'),
  };
  const kind = oneOf(row['kind'], ['featureSet', 'scope'], 'kind');
  const target = text(row['target'], 'target');
  const form = text(row['form'], 'form');
  if (kind === 'featureSet') return { ...common, kind, target, form };
  return { ...common, kind, key: target, fingerprint: form, ...detailsOf(row) };
}

type Details = Omit<ScopeGrant, 'id' | 'direction' | 'kind' | 'server' | 'at' | 'key' | 'fingerprint'>;

function detailsOf(row: Row): Details {
  const parsed: unknown = JSON.parse(text(row['details'], 'details'));
  const details = record(parsed);
  return {
    featureSet: optionalText(details['featureSet'], 'featureSet'),
    action: text(details['action'], 'action'),
    label: optionalText(details['label'], 'label'),
    targets: list((target) => text(target, 'targets'))(details['targets']),
    payloadHash: text(details['payloadHash'], 'payloadHash'),
    // Others are never kept: one that claims to be was not written by us.
    lifetime: oneOf(details['lifetime'], ['workspace'], 'lifetime'),
    by: oneOf(details['by'], ['person'], 'by'),
    until: optionalInteger(details['until'], 'until'),
  };
}
