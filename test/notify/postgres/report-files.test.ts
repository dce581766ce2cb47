import { temporaryDatabase } from '../../helpers/temporary-database.ts'
import { testReportFiles } from '../report-files.ts'

testReportFiles(async () => ({ COOLER_STORE: await temporaryDatabase() }))
