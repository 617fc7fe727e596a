interface ChartTableProps {
  readonly label: string
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Shows the values of a chart as a table for screen readers. */
export function ChartTable({ label, heads, rows }: ChartTableProps) {
  return (
    <table className="sr-only">
      <caption>{label}</caption>
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]}>
            {row.map((cell, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell is identified by its column
              <td key={index}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
