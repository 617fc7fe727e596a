/** Tells an operator what to do about a changed row. It ends each description of such a row. */
export const remedy = 'Before payouts resume, find out who changed the database, and restore what was changed'
