/** Settings that exist once for each network of a family and contain the network's name. */
import type { ShippedNetworkName } from '../../chains/networks.ts'

type FieldOf<Prefix extends string, Name extends ShippedNetworkName> = `${Prefix}${Capitalize<Name>}`

/** One field for each network, with the network's name in it, such as `xpubLitecoin`. */
export type PerNetwork<Prefix extends string, Name extends ShippedNetworkName, T> = {
  readonly [Field in FieldOf<Prefix, Name>]: T
}

/** Makes the fields of the networks `names`. Adding a network adds its settings. */
export function perNetwork<Prefix extends string, Name extends ShippedNetworkName, T>(
  names: readonly Name[],
  prefix: Prefix,
  make: (name: Name) => T,
): PerNetwork<Prefix, Name, T> {
  const fields = names.map((name) => [fieldOf(prefix, name), make(name)])
  return Object.fromEntries(fields) as PerNetwork<Prefix, Name, T>
}

/**
 * Returns the value of a network's field. The name of the field is the prefix and the network's name: the
 * prefix `utxoRpc` and the network `litecoin` give the field `utxoRpcLitecoin`.
 */
export function ofNetwork<Prefix extends string, Name extends ShippedNetworkName, Fields>(
  fields: Fields,
  prefix: Prefix,
  name: Name,
): Fields[FieldOf<Prefix, Name> & keyof Fields] {
  const field = fieldOf(prefix, name) as keyof Fields
  return fields[field] as Fields[FieldOf<Prefix, Name> & keyof Fields]
}

function fieldOf<Prefix extends string, Name extends ShippedNetworkName>(
  prefix: Prefix,
  name: Name,
): FieldOf<Prefix, Name> {
  return `${prefix}${name.charAt(0).toUpperCase()}${name.slice(1)}` as FieldOf<Prefix, Name>
}
