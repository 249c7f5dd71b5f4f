/** Names that only the code knows: of documents about approvals, and of the row that shows more decisions. */
export const APPROVAL_SCHEME = 'mcpl-approval';
export const SHOW_MORE_DECISIONS = 'mcpl.approvals.showMore';
