/** The parts of a workbook (ECMA-376) that are the same for every report, except for the names of its sheets. */

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const CONTENT = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Returns the path of a worksheet within the file, counted from 0. */
export const sheetFile = (nth: number): string => `xl/worksheets/sheet${nth + 1}.xml`

/** Returns all parts except the sheets, as name and text. */
export function parts(sheetNames: readonly string[]): [string, string][] {
  const each = (text: (name: string, nth: number) => string): string => sheetNames.map(text).join('')
  return [
    [
      '[Content_Types].xml',
      `${DECLARATION}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${CONTENT}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${CONTENT}.styles+xml"/>${each(
        (_name, nth) => `<Override PartName="/${sheetFile(nth)}" ContentType="${CONTENT}.worksheet+xml"/>`,
      )}</Types>`,
    ],
    [
      '_rels/.rels',
      `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>${each(
        (name, nth) => `<sheet name="${name}" sheetId="${nth + 1}" r:id="rId${nth + 2}"/>`,
      )}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${OFFICE}/styles" Target="styles.xml"/>${each(
        (_name, nth) =>
          `<Relationship Id="rId${nth + 2}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${nth + 1}.xml"/>`,
      )}</Relationships>`,
    ],
    ['xl/styles.xml', DECLARATION + STYLES],
  ]
}

const DAY_FORMAT = 164
const FOUR_FORMAT = 165
const SEVEN_FORMAT = 166
/** Built-in formats: general, `0`, `0.00`, and text, which stays text when somebody edits its cell. */
const [GENERAL, WHOLE, TWO, TEXT] = [0, 1, 2, 49]

const [PLAIN_FONT, BOLD_FONT] = [0, 1]

const format = (id: number, font = PLAIN_FONT, alignment = ''): string =>
  `<xf numFmtId="${id}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"` +
  (alignment === '' ? '/>' : ` applyAlignment="1">${alignment}</xf>`)

/** The formats in the order of STYLE. */
const FORMATS = [
  format(GENERAL),
  format(TEXT, BOLD_FONT),
  ...[DAY_FORMAT, WHOLE, TWO, FOUR_FORMAT, SEVEN_FORMAT, TEXT].map((id) => format(id)),
  format(TEXT, PLAIN_FONT, '<alignment vertical="top" wrapText="1"/>'),
]

const STYLES = [
  `<styleSheet xmlns="${MAIN}"><numFmts count="3"><numFmt numFmtId="${DAY_FORMAT}" formatCode="yyyy\\-mm\\-dd"/>`,
  `<numFmt numFmtId="${FOUR_FORMAT}" formatCode="0.0000"/><numFmt numFmtId="${SEVEN_FORMAT}" formatCode="0.0000000"/>`,
  '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>',
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>',
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>',
  '</fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
  `<cellXfs count="${FORMATS.length}">${FORMATS.join('')}</cellXfs>`,
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
].join('')

/** Returns the XML before the rows of a sheet: the column widths, and a title row that stays in view. */
export function sheetBegin(widths: readonly number[], isShown: boolean): string {
  const columns = widths.map(
    (width, nth) => `<col min="${nth + 1}" max="${nth + 1}" width="${width}" customWidth="1"/>`,
  )
  const selected = isShown ? ' tabSelected="1"' : ''
  return `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView${selected} workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${columns.join('')}</cols><sheetData>`
}

export const SHEET_END = '</sheetData></worksheet>'
