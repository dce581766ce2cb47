import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EXPORT_FORMATS, type ExportFormat, fileName } from '../../report/export/formats.ts'
import type { ReportName } from '../../report/export/report-writer.ts'
import type { ReportSource } from '../../report/replicated-reports.ts'
import type { ReportTask } from '../../report/reports.ts'
import { callerOf } from './access.ts'
import { encodingOf } from './compress.ts'
import { formatOf, type ReportFormat } from './report-format.ts'

/** The parts of a request that decide the form of its report. */
interface Asked extends Pick<FastifyRequest, 'apiKey' | 'ip' | 'headers'> {
  query: { format?: ReportFormat; bom?: '0' | '1'; since?: string }
}

/** Sends a file of a report, to be saved. */
export const sendFile = (
  reply: FastifyReply,
  name: Parameters<typeof fileName>[0],
  days: Parameters<typeof fileName>[1],
  { format, file }: { format: ExportFormat; file: Readable },
): FastifyReply =>
  reply
    .type(EXPORT_FORMATS[format].contentType)
    .header('content-disposition', `attachment; filename="${fileName(name, days, format)}"`)
    .send(file)

/** Sends a report in the form that the request asks for: JSON or a file. */
export async function sendReport(
  reports: ReportSource,
  name: ReportName,
  asked: ReportTask,
  request: Asked,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { query, headers } = request
  const task = query.since === undefined ? asked : { ...asked, since: query.since }
  const format = formatOf(query.format, headers.accept)
  if (format === 'json') {
    const json = await reports[name](task)
    reply.type('application/json; charset=utf-8')
    if (typeof json === 'string') return reply.send(json)
    const encoding = encodingOf(request, reply, json.length)
    return reply.send(encoding === null ? json : await reports.packed(json, encoding))
  }
  const file = await reports.file({ name, task, format, withMark: query.bom === '1', who: callerOf(request) })
  return sendFile(reply, name, task, { format, file })
}
