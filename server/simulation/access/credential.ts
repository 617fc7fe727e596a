/** The credentials that a request presents, and the addresses from which requests come. */

export type Credential =
  | { readonly type: 'token' }
  | { readonly type: 'key'; readonly key: string; readonly address: string }

/** The clients' addresses. */
export const clientAddresses = ['192.0.2.1', '192.0.2.200', '2001:db8::7'] as const

/** An IP list that merchants set, and the clients' addresses that it admits. */
export interface IpList {
  readonly entries: readonly string[]
  readonly admits: readonly string[]
}

/** The list of a merchant that never set one. It admits everybody. */
export const emptyIpList: IpList = { entries: [], admits: clientAddresses }

export const ipLists: readonly IpList[] = [
  emptyIpList,
  { entries: ['192.0.2.0/25'], admits: ['192.0.2.1'] },
  { entries: ['2001:db8::7'], admits: ['2001:db8::7'] },
  { entries: ['192.0.2.200', '2001:db8::/32'], admits: ['192.0.2.200', '2001:db8::7'] },
]
