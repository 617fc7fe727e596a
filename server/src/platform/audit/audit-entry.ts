/**
 * An action that the audit log records, such as a login or a withdrawal. Entries are added and never changed.
 */
export type AuditAction =
  | 'account.created'
  | 'account.password_changed'
  | 'session.started'
  | 'session.ended'
  | 'session.refused'
  | 'session.revoked'
  | 'session.others_revoked'
  | 'second_factor.enabled'
  | 'second_factor.disabled'
  | 'second_factor.recovery_codes_renewed'
  | 'second_factor.recovery_code_used'
  | 'access_token.created'
  | 'access_token.revoked'
  | 'session.refresh_reused'
  | 'api_key.generated'
  | 'api_key.revoked'
  | 'merchant.settings_changed'
  | 'merchant.deleted'
  | 'merchant.restored'
  | 'merchant.ip_list_set'
  | 'merchant.ip_list_removed'
  | 'member.added'
  | 'member.changed'
  | 'member.removed'
  | 'invoice.accepted'
  | 'invoice.closed'
  | 'invoice.deleted'
  | 'invoice.restored'
  | 'fee.set'
  | 'fee.unset'
  | 'limit.set'
  | 'limit.unset'
  | 'webhook.set'
  | 'webhook.deleted'
  | 'quarantine.released'
  | 'quarantine.seized'
  | 'sanctions_list.loaded'
  | 'sanctions_list.unloaded'
  | 'withdrawal.refused'
  | 'deposits.resumed'
  | 'deposits.missed_booked'
  | 'payouts.asset_halted'
  | 'payouts.resumed'
  | 'payouts.dropped'
  | 'payouts.settled_paid'
  | 'payouts.settled_unpaid'
  | 'payouts.outflow_booked'
  | 'payouts.outflow_unbooked'
  | 'payouts.recovered'
  | 'payouts.recovery_asked'
  | 'withdrawal.requested'
  | 'withdrawal.cancelled'
  | 'withdrawal.released'
  | 'withdrawal.rejected'
  | 'withdrawal.refused'
  | 'withdrawal.lookalike_refused'
  | 'withdrawal.lookalike_confirmed'
  | 'withdrawal.retaken'
  | 'sweep.ordered'
  | 'treasury.attributed'
  | 'treasury.capital_source_added'
  | 'treasury.withdrawal_ordered'
  | 'treasury.debt_written_off'
  | 'books.key_forgotten'

export interface AuditEntry {
  /** The account that acted; absent for automatic actions and for commands in the server's shell. */
  readonly accountId?: string
  readonly merchantId?: string
  readonly action: AuditAction
  /** The id of what the action concerns, such as a withdrawal or an account. */
  readonly subject: string
  /** Never contains a secret. */
  readonly details?: Readonly<Record<string, unknown>>
}
