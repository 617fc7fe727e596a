import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Plus, Store } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import { useApi } from '../use-api.ts'

const item =
  'flex cursor-pointer items-center gap-2 rounded-lg px-2.5 py-2 outline-none select-none data-highlighted:bg-band'

export function MerchantSwitcher({ merchantID }: { merchantID: string | undefined }) {
  const navigate = useNavigate()
  const { data: merchants = [] } = useApi('listMerchants', { limit: 100 })
  const shown = merchants.find(({ id }) => id === merchantID)
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="flex w-full min-w-0 items-center gap-2 rounded-lg border border-line bg-paper px-2.5 py-1.5 text-left font-medium shadow-card hover:bg-band">
        <Store aria-hidden className="size-4 shrink-0 text-ink-faint" />
        <span className="min-w-0 flex-1 truncate">{shown?.name ?? 'Merchants'}</span>
        <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-ink-faint" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          className="z-50 max-h-80 w-64 overflow-y-auto rounded-xl border border-line bg-raised p-1.5 shadow-pop"
        >
          {merchants.map(({ id, name }) => (
            <DropdownMenu.Item
              key={id}
              className={item}
              onSelect={() => void navigate({ to: '/m/$merchantID/overview', params: { merchantID: id } })}
            >
              <span className="min-w-0 flex-1 truncate">{name}</span>
              {id === merchantID && <Check aria-hidden className="size-4 text-accent-text" />}
            </DropdownMenu.Item>
          ))}
          {merchants.length > 0 && <DropdownMenu.Separator className="my-1.5 h-px bg-line" />}
          <DropdownMenu.Item className={item} onSelect={() => void navigate({ to: '/merchants/new' })}>
            <Plus aria-hidden className="size-4 text-ink-faint" /> Create merchant
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
