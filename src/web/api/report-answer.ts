import type { FastifyReply, FastifyRequest } from 'fastify'
import { CoolerError } from '../../base/errors.ts'
import { EXPORT_FORMATS, fileName } from '../../report/export/formats.ts'
import type { ReportName } from '../../report/export/report-writer.ts'
import type { Reports, ReportTask } from '../../report/reports.ts'
import { callerOf } from './access.ts'
import { encodingOf } from './compress.ts'
import { formatOf } from './report-format.ts'

/** Answers a report as what the request asks for: JSON, or a file. @throws CoolerError `bad-request` */
export async function sendReport(
  reports: Reports,
  name: ReportName,
  task: ReportTask,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const format = formatOf(request)
  if (format === 'json') {
    const json = await reports[name](task)
    reply.type('application/json; charset=utf-8')
    if (typeof json === 'string') return reply.send(json)
    const encoding = encodingOf(request, reply, json.length)
    return reply.send(encoding === null ? json : await reports.packed(json, encoding))
  }
  const file = await reports.file({ name, task, format, withMark: markOf(request), who: callerOf(request) })
  return reply
    .type(EXPORT_FORMATS[format].contentType)
    .header('content-disposition', `attachment; filename="${fileName(name, task, format)}"`)
    .send(file)
}

/** Whether `?bom=` asks for a byte order mark, which is of CSV alone. @throws CoolerError `bad-request` */
function markOf({ query }: FastifyRequest): boolean {
  const { bom = '0' } = query as { bom?: unknown }
  if (bom !== '0' && bom !== '1') throw new CoolerError('bad-request', 'bom must be 1, for a byte order mark, or 0')
  return bom === '1'
}
