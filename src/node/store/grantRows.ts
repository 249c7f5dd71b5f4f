import { APPROVAL_KINDS, type ApprovalGrant, type DeclaredSet, type Grant, type ToolGrant } from '../../core/index.ts';
import { integer, list, oneOf, optionalInteger, optionalText, record, type Row, text, type Value } from './contract.ts';

/** In column order. */
export function grantValues(grant: Grant): Value[] {
  const { id, direction, kind, server, at } = grant;
  if (kind === 'featureSet') {
    const choice = grant.events === undefined ? null : JSON.stringify({ events: grant.events });
    return [id, direction, kind, server, grant.target, grant.form, at, choice];
  }
  if (kind === 'declaredSets') return [id, direction, kind, server, '', '', at, JSON.stringify({ sets: grant.sets })];
  if (kind === 'tool') {
    const { fingerprint, definition, last, changes, isAny, declined } = grant;
    const details = { fingerprint, definition, last, changes, isAny, declined };
    return [id, direction, kind, server, grant.target, grant.form, at, JSON.stringify(details)];
  }
  if (kind === 'wildcard' || kind === 'stateOwner')
    return [id, direction, kind, server, grant.target, grant.form, at, null];
  const { key, fingerprint, featureSet, action, label, targets, payloadHash, lifetime, by, until } = grant;
  const details = { featureSet, action, label, targets, payloadHash, lifetime, by, until };
  return [id, direction, kind, server, key, fingerprint, at, JSON.stringify(details)];
}

/** Throws for an invalid row: a grant that is only partly understood allows nothing. */
export function grantOf(row: Row): Grant {
  const common = {
    id: text(row['id'], 'id'),
    direction: oneOf(row['direction'], ['toServer'], 'direction'),
    server: text(row['server'], 'server'),
    at: integer(row['at'], 'at'),
  };
  const kind = oneOf(
    row['kind'],
    ['featureSet', 'wildcard', 'stateOwner', 'tool', 'declaredSets', ...APPROVAL_KINDS],
    'kind',
  );
  const target = text(row['target'], 'target');
  const form = text(row['form'], 'form');
  if (kind === 'featureSet') {
    const { events } = row['details'] === null ? {} : detailsIn(row);
    const choice = events === undefined ? {} : { events: oneOf(events, ['allowed', 'refused'], 'events') };
    return { ...common, kind, target, form, ...choice };
  }
  if (kind === 'declaredSets') return { ...common, kind, sets: list(declaredSet)(detailsIn(row)['sets']) };
  if (kind === 'tool') return { ...common, kind, target, form, ...toolDetails(row) };
  if (kind === 'wildcard') return { ...common, kind, target, form: '' };
  if (kind === 'stateOwner') return { ...common, kind, target, form };
  return { ...common, kind, key: target, fingerprint: form, ...detailsOf(row) };
}

type ToolDetails = Pick<ToolGrant, 'fingerprint' | 'definition' | 'last' | 'changes' | 'isAny' | 'declined'>;

function toolDetails(row: Row): ToolDetails {
  const details = detailsIn(row);
  return {
    fingerprint: text(details['fingerprint'], 'fingerprint'),
    definition: optionalText(details['definition'], 'definition'),
    last: text(details['last'], 'last'),
    changes: integer(details['changes'], 'changes'),
    isAny: details['isAny'] === true,
    declined: optionalText(details['declined'], 'declined'),
  };
}

type Details = Omit<ApprovalGrant, 'id' | 'direction' | 'kind' | 'server' | 'at' | 'key' | 'fingerprint'>;

function detailsIn(row: Row): Row {
  const parsed: unknown = JSON.parse(text(row['details'], 'details'));
  return record(parsed);
}

function declaredSet(value: unknown): DeclaredSet {
  const { name, form, scoped } = record(value);
  return { name: text(name, 'name'), form: text(form, 'form'), scoped: scoped === true };
}

function detailsOf(row: Row): Details {
  const details = detailsIn(row);
  return {
    featureSet: optionalText(details['featureSet'], 'featureSet'),
    action: text(details['action'], 'action'),
    label: optionalText(details['label'], 'label'),
    targets: list((target) => text(target, 'targets'))(details['targets']),
    payloadHash: text(details['payloadHash'], 'payloadHash'),
    // Only workspace grants are stored, so any other value is forged or damaged.
    lifetime: oneOf(details['lifetime'], ['workspace'], 'lifetime'),
    by: oneOf(details['by'], ['person'], 'by'),
    until: optionalInteger(details['until'], 'until'),
  };
}
