import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { Skeleton } from './skeleton.tsx'

export interface Column<Row> {
  readonly head: string
  cell(row: Row): ReactNode
  /** Figures stand at the right, one below the other. */
  readonly isFigure?: boolean
  /** Left out where there is no room for it: what it says is on the record's own page too. */
  readonly isWide?: boolean
}

export interface Paging {
  readonly page: number
  readonly limit: number
  readonly total: number
  onPage(page: number): void
}

interface TableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while they are on their way. */
  readonly rows: readonly Row[] | undefined
  keyOf(row: Row): string | number
  readonly empty: ReactNode
  readonly paging?: Paging | undefined
}

const place = (column: { readonly isFigure?: boolean; readonly isWide?: boolean }) =>
  classNames(column.isFigure === true && 'text-right', column.isWide === true && 'max-md:hidden')

export function Table<Row>({ label, columns, rows, keyOf, empty, paging }: TableProps<Row>) {
  if (rows !== undefined && rows.length === 0 && (paging?.page ?? 1) === 1) return empty
  return (
    <div>
      <section aria-label={label} className="overflow-x-auto" tabIndex={-1}>
        <table className="w-full border-collapse">
          <caption className="sr-only">{label}</caption>
          <thead>
            <tr className="border-b border-line bg-ground/60">
              {columns.map((column) => (
                <th
                  key={column.head}
                  scope="col"
                  className={classNames(
                    'px-3 py-2 text-left text-xs font-medium whitespace-nowrap text-ink-soft first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5',
                    place(column),
                  )}
                >
                  {column.head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? [1, 2, 3, 4, 5].map((line) => <SkeletonRow key={line} columns={columns} />)
              : rows.map((row) => (
                  <tr
                    key={keyOf(row)}
                    className="relative border-b border-line last:border-b-0 hover:bg-ground/70"
                  >
                    {columns.map((column) => (
                      <td
                        key={column.head}
                        className={classNames(
                          'px-3 py-2.5 align-middle first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5',
                          place(column),
                        )}
                      >
                        {column.cell(row)}
                      </td>
                    ))}
                  </tr>
                ))}
          </tbody>
        </table>
      </section>
      {paging !== undefined && <PagingBar {...paging} label={label} shown={rows?.length ?? 0} />}
    </div>
  )
}

function SkeletonRow<Row>({ columns }: { columns: readonly Column<Row>[] }) {
  return (
    <tr className="border-b border-line last:border-b-0">
      {columns.map((column) => (
        <td
          key={column.head}
          className={classNames('px-3 py-3 first:pl-4 last:pr-4 sm:first:pl-5 sm:last:pr-5', place(column))}
        >
          <Skeleton className={column.isFigure === true ? 'ml-auto w-16' : 'w-24'} />
        </td>
      ))}
    </tr>
  )
}

interface PagingBarProps extends Paging {
  readonly label: string
  readonly shown: number
}

function PagingBar({ label, page, limit, total, onPage, shown }: PagingBarProps) {
  const first = (page - 1) * limit + 1
  const isLast = page * limit >= total
  return (
    <nav
      aria-label={`Pages of ${label}`}
      className="flex items-center justify-between gap-4 border-t border-line px-4 py-2.5 sm:px-5"
    >
      <p className="figures text-ink-soft">
        {shown === 0 ? 'Nothing here' : `${first}–${first + shown - 1} of ${total}`}
      </p>
      <div className="flex gap-1">
        <Button look="quiet" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeft aria-hidden /> Back
        </Button>
        <Button look="quiet" disabled={isLast} onClick={() => onPage(page + 1)}>
          Next <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  )
}
