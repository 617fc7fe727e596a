import type { components } from 'coffer-sdk'
import { Coins } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../../design/badge.tsx'
import { Button } from '../../../design/button.tsx'
import { Card } from '../../../design/card.tsx'
import { Copyable } from '../../../design/copyable.tsx'
import { EmptyState } from '../../../design/empty-state.tsx'
import { Notice } from '../../../design/notice.tsx'
import { Page } from '../../../design/page.tsx'
import { Table } from '../../../design/table.tsx'
import { errorText } from '../../client.ts'
import { NetworkName } from '../../methods.tsx'
import { useApi } from '../../use-api.ts'
import { HostCommand } from '../host-command.tsx'
import { AddNetworkDialog } from './add-network-dialog.tsx'
import { AddTokenDialog } from './add-token-dialog.tsx'
import { type Turn, TurnDialog } from './turn-dialog.tsx'

type EvmNetwork = components['schemas']['EvmNetwork']
type OwnToken = components['schemas']['OwnToken']
type Refused = components['schemas']['RefusedEntry']

/** Lists the EVM networks and the operator's tokens, and adds, enables and disables them by signed entries. */
export function NetworksPage() {
  const { data, error } = useApi('listNetworks', {}, { everyMs: 5_000 })
  const [adding, setAdding] = useState<'network' | 'token'>()
  const [turn, setTurn] = useState<Turn>()
  const close = () => {
    setAdding(undefined)
    setTurn(undefined)
  }
  const isOpen = data !== undefined
  return (
    <Page
      title="Networks and tokens"
      description="The EVM networks of this server, and the tokens that you added. Your key signs each change."
    >
      {error !== null && <Notice tone="bad">{errorText(error)}</Notice>}
      {isOpen && data.refused.length > 0 && <RefusedEntries refused={data.refused} />}
      <Networks networks={data?.networks} onAdd={() => setAdding('network')} onTurn={setTurn} />
      <Tokens
        tokens={data?.tokens}
        networks={data?.networks ?? []}
        onAdd={() => setAdding('token')}
        onTurn={setTurn}
      />
      {isOpen && data.networks.some(({ isOwn }) => isOwn) && <ReplaceNodes />}
      {isOpen && data.lastEntry !== null && <LastEntry number={data.lastEntry} />}
      {isOpen && adding === 'network' && <AddNetworkDialog onClose={close} />}
      {isOpen && adding === 'token' && <AddTokenDialog networks={data.networks} onClose={close} />}
      {isOpen && turn !== undefined && (
        <TurnDialog turn={turn} canSignHere={data.canSignHere} onClose={close} />
      )}
    </Page>
  )
}

function RefusedEntries({ refused }: { refused: readonly Refused[] }) {
  return (
    <Notice tone="bad" title="Refused entries">
      These entries are not used. If they have no valid signature, somebody wrote to the database, or a public
      key is missing in OPERATOR_PUBLIC_KEYS:
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

interface NetworksProps {
  readonly networks: readonly EvmNetwork[] | undefined
  onAdd(): void
  onTurn(turn: Turn): void
}

function Networks({ networks, onAdd, onTurn }: NetworksProps) {
  return (
    <Card
      title="Networks"
      isFlush
      actions={
        <Button variant="secondary" onClick={onAdd} disabled={networks === undefined}>
          Add network
        </Button>
      }
    >
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
          {
            head: 'Actions',
            isFigure: true,
            cell: ({ name, isOwn, isEnabled }) =>
              isOwn && <TurnButton turn={{ kind: 'network', name, isEnabled: !isEnabled }} onTurn={onTurn} />,
          },
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

interface TokensProps extends NetworksProps {
  readonly tokens: readonly OwnToken[] | undefined
  readonly networks: readonly EvmNetwork[]
}

function Tokens({ tokens, networks, onAdd, onTurn }: TokensProps) {
  const isOff = ({ network }: OwnToken) => networks.find(({ name }) => name === network)?.isEnabled === false
  return (
    <Card
      title="Your tokens"
      isFlush
      actions={
        <Button variant="secondary" onClick={onAdd} disabled={tokens === undefined}>
          Add token
        </Button>
      }
    >
      <Table
        label="Your tokens"
        rows={tokens}
        keyOf={({ paymentMethodID }) => paymentMethodID}
        empty={
          <EmptyState icon={Coins} title="No tokens of your own">
            Coffer comes with the usual stablecoins. You can add others on every EVM network that has nodes.
          </EmptyState>
        }
        columns={[
          { head: 'Token', cell: ({ symbol, name }) => `${symbol} · ${name}` },
          { head: 'Network', cell: ({ network }) => <NetworkName network={network} />, isWide: true },
          {
            head: 'Contract',
            cell: ({ contract }) => <Copyable value={contract} what="contract" isShortened />,
            isWide: true,
          },
          { head: 'ID', cell: ({ paymentMethodID }) => paymentMethodID, isFigure: true, isWide: true },
          {
            head: 'State',
            cell: (token) => <TokenState token={token} isOff={isOff(token)} />,
          },
          {
            head: 'Actions',
            isFigure: true,
            // A token of a disabled network cannot be offered, and one that is unusable never can be.
            cell: (token) =>
              token.state !== 'unusable' &&
              !isOff(token) && (
                <TurnButton
                  turn={{
                    kind: 'token',
                    name: `${token.network}/${token.symbol}`,
                    isEnabled: !token.isEnabled,
                  }}
                  onTurn={onTurn}
                />
              ),
          },
        ]}
      />
    </Card>
  )
}

function TokenState({ token: { state }, isOff }: { token: OwnToken; isOff: boolean }) {
  if (state === 'unusable') return <Badge tone="bad">unusable</Badge>
  if (isOff) return <Badge tone="warn">network disabled</Badge>
  return <Badge tone={state === 'enabled' ? 'good' : 'warn'}>{state}</Badge>
}

function TurnButton({ turn, onTurn }: { turn: Turn; onTurn(turn: Turn): void }) {
  return (
    <Button variant={turn.isEnabled ? 'secondary' : 'ending'} onClick={() => onTurn(turn)}>
      {turn.isEnabled ? 'Enable' : 'Disable'}
    </Button>
  )
}

function ReplaceNodes() {
  return (
    <Card title="Nodes of your networks">
      <HostCommand command="coffer networks nodes NAME --rpc URL,URL" what="command to replace nodes">
        If nodes of your network are wrong or gone, replace them where your key is, and restart all processes:
      </HostCommand>
    </Card>
  )
}

function LastEntry({ number }: { number: number }) {
  return (
    <Card
      title="Last signed entry"
      description="Set this for every process and where you run commands. With fewer entries in the database, nothing of yours is used."
    >
      <Copyable value={`OPERATOR_ENTRY_MIN=${number}`} what="setting" isBlock />
    </Card>
  )
}
