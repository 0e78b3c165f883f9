// node read_parquet.mjs FILE: all rows of a Parquet file as JSON, read by hyparquet, which has nothing in common with
// DuckDB. The tests of semel export compare the two.
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const file = await asyncBufferFromFile(process.argv[2])
const rows = await parquetReadObjects({ file, compressors })

/** As `semel query --json` writes it: whole numbers as numbers, times in UTC with milliseconds. */
function plain(value) {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date) return value.toISOString()
  return value ?? null
}

for (const row of rows) {
  for (const name of Object.keys(row)) row[name] = plain(row[name])
}
process.stdout.write(JSON.stringify(rows) + '\n')
