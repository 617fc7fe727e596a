import type { components } from 'coffer-sdk'
import { Coins } from 'lucide-react'
import { Badge } from '../../design/badge.tsx'
import { Card } from '../../design/card.tsx'
import { Copyable } from '../../design/copyable.tsx'
import { EmptyState } from '../../design/empty-state.tsx'
import { Notice } from '../../design/notice.tsx'
import { Page } from '../../design/page.tsx'
import { Table } from '../../design/table.tsx'
import { errorText } from '../client.ts'
import { NetworkName } from '../methods.tsx'
import { useApi } from '../use-api.ts'
import { HostCommand } from './host-command.tsx'

type EvmNetwork = components['schemas']['EvmNetwork']
type OwnToken = components['schemas']['OwnToken']
type Refused = components['schemas']['RefusedEntry']

/** Lists the EVM networks and the tokens that an operator added, with entries that are not signed. */
export function NetworksPage() {
  const { data, error } = useApi('listNetworks', {}, { everyMs: 5_000 })
  return (
    <Page
      title="Networks and tokens"
      description="The EVM networks of this server, and the tokens that you added. Your key signs each addition."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {data !== undefined && data.refused.length > 0 && <RefusedEntries refused={data.refused} />}
      <Networks networks={data?.networks} />
      <Tokens tokens={data?.tokens} />
      <Commands />
    </Page>
  )
}

function RefusedEntries({ refused }: { refused: readonly Refused[] }) {
  return (
    <Notice tone="bad" title="Entries without a valid signature">
      Somebody wrote to the database, or a public key is missing in OPERATOR_PUBLIC_KEYS. These entries are
      not used:
      <ul className="mt-1 list-disc pl-5">
        {refused.map(({ entry, reason }) => (
          <li key={entry}>
            Entry {entry}: {reason}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

function Networks({ networks }: { networks: readonly EvmNetwork[] | undefined }) {
  return (
    <Card title="Networks" isFlush>
      <Table
        label="Networks"
        rows={networks}
        keyOf={({ name }) => name}
        empty={null}
        columns={[
          { head: 'Network', cell: NetworkCell },
          { head: 'Coin', cell: ({ coin }) => coin, isWide: true },
          { head: 'Chain ID', cell: ({ chainID }) => chainID, isFigure: true, isWide: true },
          { head: 'State', cell: (network) => <NetworkState network={network} /> },
        ]}
      />
    </Card>
  )
}

/** Payment methods have the titles of the networks that they are on; a network without one shows its own. */
function NetworkCell({ name, title, isOwn, isFollowed }: EvmNetwork) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {isFollowed ? <NetworkName network={name} /> : title}
      {isOwn && <Badge tone="note">yours</Badge>}
    </span>
  )
}

function NetworkState({ network: { isFollowed, isEnabled } }: { network: EvmNetwork }) {
  if (!isFollowed) return <Badge tone="plain">no nodes</Badge>
  return isEnabled ? <Badge tone="good">enabled</Badge> : <Badge tone="warn">disabled</Badge>
}

function Tokens({ tokens }: { tokens: readonly OwnToken[] | undefined }) {
  return (
    <Card title="Your tokens" isFlush>
      <Table
        label="Your tokens"
        rows={tokens}
        keyOf={({ paymentMethodID }) => paymentMethodID}
        empty={
          <EmptyState icon={Coins} title="No tokens of your own">
            Coffer comes with the usual stablecoins. Add others with the command below.
          </EmptyState>
        }
        columns={[
          { head: 'Token', cell: ({ symbol, name }) => `${symbol} · ${name}` },
          { head: 'Network', cell: ({ network }) => <NetworkName network={network} /> },
          {
            head: 'Contract',
            cell: ({ contract }) => <Copyable value={contract} what="contract" isShortened />,
            isWide: true,
          },
          { head: 'ID', cell: ({ paymentMethodID }) => paymentMethodID, isFigure: true, isWide: true },
          {
            head: 'State',
            cell: ({ isEnabled }) => (
              <Badge tone={isEnabled ? 'good' : 'warn'}>{isEnabled ? 'enabled' : 'disabled'}</Badge>
            ),
          },
        ]}
      />
    </Card>
  )
}

function Commands() {
  return (
    <Card title="Add, enable and disable">
      <div className="grid gap-4">
        <HostCommand command="coffer networks add --help" what="command for networks">
          Add a network on the machine that has your key. The command asks the nodes and shows what they say
          first:
        </HostCommand>
        <HostCommand command="coffer tokens add NETWORK CONTRACT" what="command for tokens">
          Add a token. The command tries a transfer without sending one:
        </HostCommand>
        <HostCommand command="coffer tokens disable NETWORK/SYMBOL" what="command to disable">
          Disable a token: new invoices do not offer it, and balances can still be withdrawn:
        </HostCommand>
      </div>
    </Card>
  )
}
