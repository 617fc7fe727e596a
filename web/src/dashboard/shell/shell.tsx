import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Badge } from '../../design/badge.tsx'
import { classNames } from '../../design/class-names.ts'
import { Dialog } from '../../design/dialog.tsx'
import { ProofDialog } from '../session/proof-dialog.tsx'
import type { Session } from '../session/use-session.ts'
import { AccountMenu } from './account-menu.tsx'
import { useKeptSearches } from './last-search.ts'
import { Mark } from './mark.tsx'
import { MerchantSwitcher } from './merchant-switcher.tsx'
import {
  accountSection,
  merchantSections,
  type NavigationItem,
  operatorSection,
  type Section,
} from './navigation.ts'
import { useLastMerchant } from './use-last-merchant.ts'

/** The layout around every page, with the navigation. */
export function Shell({ session }: { session: Session }) {
  const merchantID = useLastMerchant()
  useKeptSearches()
  const isSandbox = session.mode === 'sandbox'
  const nav = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // Keeps the current item visible in a long list.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address and the merchant change the item
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname, merchantID])
  const sections: readonly Section[] = [
    ...(merchantID === undefined ? [] : merchantSections(merchantID, isSandbox)),
    accountSection,
    ...(session.account.isOperator ? [operatorSection(isSandbox)] : []),
  ]
  return (
    <div className="md:grid md:min-h-dvh md:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:z-50 focus:m-2 focus:rounded-lg focus:bg-paper focus:p-2"
      >
        Skip to content
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col gap-3 border-r border-line bg-paper md:flex">
        <div className="flex items-center justify-between px-4 pt-4">
          <Mark />
          {isSandbox && <Badge tone="warn">sandbox</Badge>}
        </div>
        <div className="px-3">
          <MerchantSwitcher merchantID={merchantID} />
        </div>
        <nav
          ref={nav}
          aria-label="Pages"
          className="min-h-0 flex-1 overflow-y-auto scroll-pb-8 px-3 pb-6 mask-b-from-[calc(100%-1.5rem)]"
        >
          <Sections sections={sections} />
        </nav>
        <AccountMenu session={session} />
      </aside>
      <div className="flex min-w-0 flex-col max-md:min-h-dvh">
        <PhoneBar session={session} merchantID={merchantID} />
        <main id="content" tabIndex={-1} className="flex-1 focus:outline-none max-md:pb-20">
          <Outlet />
        </main>
        <BottomBar sections={sections} session={session} />
      </div>
      <ProofDialog session={session} />
    </div>
  )
}

function PhoneBar({ session, merchantID }: { session: Session; merchantID: string | undefined }) {
  return (
    <header className="sticky top-0 z-20 flex items-center gap-3 border-b border-line bg-paper px-4 py-2.5 md:hidden">
      <div className="min-w-0 flex-1">
        <MerchantSwitcher merchantID={merchantID} />
      </div>
      {session.mode === 'sandbox' && <Badge tone="warn">sandbox</Badge>}
    </header>
  )
}

function Sections({ sections, onGo }: { sections: readonly Section[]; onGo?: () => void }) {
  return (
    <div className="grid gap-4">
      {sections.map(({ title, items }) => (
        <div key={title ?? 'money'} className="grid gap-0.5">
          {title !== undefined && <p className="px-2.5 pb-1 text-xs font-medium text-ink-faint">{title}</p>}
          {items.map((item) => (
            <NavigationLink key={item.to} item={item} {...(onGo === undefined ? {} : { onGo })} />
          ))}
        </div>
      ))}
    </div>
  )
}

function NavigationLink({
  item: { to, label, icon: Icon },
  onGo,
}: {
  item: NavigationItem
  onGo?: () => void
}) {
  return (
    <Link
      to={to}
      {...(onGo === undefined ? {} : { onClick: onGo })}
      className="flex min-h-8 items-center gap-2.5 rounded-lg px-2.5 py-1.5 font-medium"
      inactiveProps={{ className: 'text-ink-soft hover:bg-band hover:text-ink' }}
      activeProps={{ className: 'bg-accent-soft text-accent-text' }}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {label}
    </Link>
  )
}

/** The navigation on a phone: the most used pages, and a button that opens all others. */
function BottomBar({ sections, session }: { sections: readonly Section[]; session: Session }) {
  const [isOpen, setOpen] = useState(false)
  const { pathname } = useLocation()
  const most = sections[0]?.title === undefined ? (sections[0]?.items.slice(0, 4) ?? []) : []
  const isElsewhere = !most.some(({ to }) => pathname.includes(to))
  const linkClasses = 'grid justify-items-center gap-0.5 py-2 text-[0.6875rem] font-medium'
  return (
    <nav
      aria-label="Main pages"
      className="fixed inset-x-0 bottom-0 z-20 grid auto-cols-fr grid-flow-col border-t border-line bg-paper pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {most.map(({ to, label, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          className={linkClasses}
          inactiveProps={{ className: 'text-ink-soft' }}
          activeProps={{ className: 'text-accent-text' }}
        >
          <Icon aria-hidden className="size-5" />
          {label}
        </Link>
      ))}
      <button
        type="button"
        onClick={() => setOpen(true)}
        className={classNames(linkClasses, isElsewhere ? 'text-accent-text' : 'text-ink-soft')}
      >
        <Menu aria-hidden className="size-5" />
        More
      </button>
      <Dialog isOpen={isOpen} onOpen={setOpen} title="All pages" isDrawer>
        <Sections sections={sections} onGo={() => setOpen(false)} />
        <AccountMenu session={session} />
      </Dialog>
    </nav>
  )
}
