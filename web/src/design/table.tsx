import { ArrowDown, ArrowUp, ChevronLeft, ChevronRight, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { groupDigits } from './format-amount.ts'
import { Skeleton } from './skeleton.tsx'

export interface Column<Row> {
  readonly head: string
  /**
   * Set if the user can sort the rows by this column. A press of the column's head sorts the rows; another
   * press reverses the order.
   */
  readonly sorting?: Sorting
  cell(row: Row): ReactNode
  /** Whether the cells are figures, which are aligned to the right. */
  readonly isFigure?: boolean
  /**
   * Whether the column is hidden on a phone. The page of the record or `MobileDetails` then shows its
   * content.
   */
  readonly isWide?: boolean
}

export interface Sorting {
  /** Undefined if the rows are sorted by another column. */
  readonly order: 'asc' | 'desc' | undefined
  onSort(): void
}

export interface Paging {
  readonly page: number
  readonly limit: number
  readonly total: number
  onPage(page: number): void
}

interface TableProps<Row> {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while the rows are loading. */
  readonly rows: readonly Row[] | undefined
  keyOf(row: Row): string | number
  readonly empty: ReactNode
  readonly paging?: Paging | undefined
}

/**
 * Returns the CSS classes of each column. The first and the last visible column always have a padding at the
 * edge of the card, even if wide columns are hidden.
 */
function classNamesByColumn<Row>(columns: readonly Column<Row>[]): readonly string[] {
  const narrow = columns.filter(({ isWide }) => isWide !== true)
  return columns.map((column) =>
    classNames(
      'px-3',
      column === columns[0] && 'md:pl-5',
      column === columns.at(-1) && 'md:pr-5',
      column === narrow[0] && 'max-md:pl-4',
      column === narrow.at(-1) && 'max-md:pr-4',
      column.isFigure === true ? 'text-right' : 'text-left',
      column.isWide === true && 'max-md:hidden',
    ),
  )
}

export function Table<Row>({ label, columns, rows, keyOf, empty, paging }: TableProps<Row>) {
  if (rows !== undefined && rows.length === 0 && (paging?.page ?? 1) === 1) return empty
  const classNamesOf = classNamesByColumn(columns)
  return (
    <div>
      <section aria-label={label} className="overflow-x-auto" tabIndex={-1}>
        <table className="w-full border-collapse">
          <caption className="sr-only">{label}</caption>
          <thead>
            <tr className="border-b border-line bg-ground/60">
              {columns.map((column, index) => (
                <Head key={column.head} column={column} className={classNamesOf[index]} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? [1, 2, 3, 4, 5].map((line) => (
                  <SkeletonRow key={line} columns={columns} classNamesOf={classNamesOf} />
                ))
              : rows.map((row) => (
                  <tr
                    key={keyOf(row)}
                    className="relative border-b border-line last:border-b-0 hover:bg-ground/70"
                  >
                    {columns.map((column, index) => (
                      <td
                        key={column.head}
                        className={classNames('py-2.5 align-middle', classNamesOf[index])}
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

function Head<Row>({ column, className }: { column: Column<Row>; className: string | undefined }) {
  const { head, sorting } = column
  const classes = classNames('py-2 text-xs font-medium whitespace-nowrap text-ink-soft', className)
  if (sorting === undefined)
    return (
      <th scope="col" className={classes}>
        {head}
      </th>
    )
  const { order, onSort } = sorting
  const Icon = order === undefined ? ChevronsUpDown : order === 'asc' ? ArrowUp : ArrowDown
  return (
    <th
      scope="col"
      aria-sort={order === undefined ? 'none' : order === 'asc' ? 'ascending' : 'descending'}
      className={classes}
    >
      <button
        type="button"
        onClick={onSort}
        className="inline-flex items-center gap-1 rounded hover:text-ink"
      >
        {head}
        <Icon aria-hidden className="size-3" />
      </button>
    </th>
  )
}

interface SkeletonRowProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly classNamesOf: readonly string[]
}

function SkeletonRow<Row>({ columns, classNamesOf }: SkeletonRowProps<Row>) {
  return (
    <tr className="border-b border-line last:border-b-0">
      {columns.map((column, index) => (
        <td key={column.head} className={classNames('py-3', classNamesOf[index])}>
          <Skeleton className={column.isFigure === true ? 'ml-auto w-16' : 'w-24 max-w-full'} />
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
  const isWhole = page === 1 && total <= limit
  if (isWhole)
    return <p className="figures border-t border-line px-4 py-2.5 text-ink-soft md:px-5">{total} in total</p>
  return (
    <nav
      aria-label={`Pages of ${label}`}
      className="flex items-center justify-between gap-4 border-t border-line px-4 py-2 md:px-5"
    >
      <p className="figures text-ink-soft">
        {shown === 0 ? 'No entries' : `${first}–${first + shown - 1} of ${groupDigits(String(total))}`}
      </p>
      <div className="-mr-3 flex">
        <Button variant="quiet" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          <ChevronLeft aria-hidden /> Previous
        </Button>
        <Button variant="quiet" disabled={page * limit >= total} onClick={() => onPage(page + 1)}>
          Next <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  )
}

/**
 * Shows the content of hidden wide columns on a phone, below the main cell. Users need the same facts for a
 * decision on a phone as on a desktop.
 */
export function MobileDetails({ children }: { children: ReactNode }) {
  return <div className="mt-1 grid justify-items-start gap-0.5 text-ink-soft md:hidden">{children}</div>
}
