/** The marks of coins and networks. They are beside a name, so screen readers skip them. */
export function NetworkMark({ network }: { network: string }) {
  return <span aria-hidden className="mark" data-network={network} />
}

export function CoinMark({ symbol }: { symbol: string }) {
  return <span aria-hidden className="mark" data-coin={symbol} />
}
