/** Names that only the code knows: of documents about events, and of the row that shows more of them. */
export const EVENT_SCHEME = 'mcpl-event';
export const AUDIT_SCHEME = 'mcpl-audit';
export const SHOW_MORE_EVENTS = 'mcpl.events.showMore';
