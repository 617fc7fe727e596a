/** What an account or an operator did to money or credentials. Entries are only ever added. */
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
  | 'payouts.resumed'
  | 'payouts.dropped'
  | 'payouts.settled_paid'
  | 'payouts.settled_unpaid'
  | 'withdrawal.requested'
  | 'withdrawal.cancelled'
  | 'withdrawal.released'
  | 'withdrawal.rejected'
  | 'withdrawal.refused'
  | 'withdrawal.lookalike_refused'
  | 'withdrawal.lookalike_confirmed'
  | 'withdrawal.retaken'
  | 'collection.ordered'
  | 'treasury.attributed'
  | 'treasury.capital_source_added'
  | 'treasury.take_out_ordered'
  | 'treasury.debt_written_off'

export interface AuditEntry {
  /** Who acted; absent for what happens by itself or from the server's shell. */
  readonly accountId?: string
  readonly merchantId?: string
  readonly action: AuditAction
  /** What it was done to: an id. */
  readonly subject: string
  /** Never a secret. */
  readonly details?: Readonly<Record<string, unknown>>
}
