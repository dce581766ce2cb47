interface Setting {
  name: string
  default: string
  about: string
}

/** All environment variables that are read, only by config.ts. An unknown COOLER_* name stops the start. */
export const SETTINGS = [
  { name: 'HOST', default: '127.0.0.1', about: 'address the server listens on' },
  { name: 'PORT', default: '8080', about: 'port the server listens on, 0 to 65535; 0 takes a free one' },
  {
    name: 'REDIS_URL',
    default: '',
    about:
      'redis://, redis+sentinel://, redis+cluster:// or redis+unix:// URL, or the path of a socket; none: no queue',
  },
  { name: 'LOG_LEVEL', default: 'info', about: 'fatal, error, warn, info, debug, trace or silent' },
  {
    name: 'COOLER_STORE',
    default: './data/cooler.sqlite',
    about: 'file of the store, or postgres:// URL of a database, with commas between several servers',
  },
  {
    name: 'COOLER_REPORT_STORE',
    default: '',
    about: 'postgres:// URL of replicas of COOLER_STORE, which reports are read from; none: from COOLER_STORE',
  },
  { name: 'COOLER_QUEUE', default: '', about: 'redis or direct; redis where REDIS_URL is set, else direct' },
  {
    name: 'COOLER_BACKLOG_LIMIT',
    // 5 million events in batches of 500 take about 500 MB in Redis and a few minutes to land.
    default: '10000',
    about: 'batches that may wait in the queue, 1 to 10^9; beyond it further ones are refused for the moment',
  },
  {
    name: 'COOLER_API_KEYS',
    default: '',
    about: 'path of a JSON file of API keys, or the JSON array itself; none: everybody may call, on loopback only',
  },
  { name: 'COOLER_INSECURE', default: '0', about: '1: without API keys HOST may be any address' },
  { name: 'COOLER_RATE_LIMIT', default: '0', about: 'requests a minute of one key, 0 to 1000000; 0: no limit' },
  { name: 'COOLER_CONNECTIONS_PER_ADDRESS', default: '256', about: '0 to 65536; 0: no limit; loopback has none' },
  { name: 'COOLER_DEFAULT_TIMEZONE', default: 'UTC', about: 'IANA zone of a placement that names none' },
  {
    name: 'COOLER_DAYTIME',
    default: '06:00-18:00',
    about: 'daytime by the local wall clock, HH:MM-HH:MM, up to 24:00',
  },
  { name: 'COOLER_OFF_HOURS', default: '4', about: 'hours off above which a day has the exception off' },
  {
    name: 'COOLER_WARM_ABOVE_SET',
    default: '4',
    about: 'degrees above the set temperature from which a day has the exception warm',
  },
  {
    name: 'COOLER_WARM_ABOVE',
    default: '10',
    about: 'degrees above which a day has the exception warm where no set temperature is known',
  },
  { name: 'COOLER_SILENT_HOURS', default: '24', about: 'hours of silence above which a day has the exception silent' },
  { name: 'COOLER_SILENCE_LIMIT_HOURS', default: '168', about: 'hours of a silence that still count, above 0' },
  { name: 'COOLER_DOOR_COUNT', default: 'events', about: 'events: each report counts; changes: only a changed state' },
  {
    name: 'COOLER_RAW_RETENTION_DAYS',
    default: '400',
    about: 'days for which late events are taken; raw events are deleted three days later; 0 keeps them for ever',
  },
  {
    name: 'COOLER_ROLLUP_AT',
    default: '00:20',
    about: 'local time of each zone at which the day before closes, HH:MM',
  },
  {
    name: 'COOLER_REFRESH_MINUTES',
    default: '15',
    about: 'minutes between rollups of today and of late days; fractions allowed',
  },
  {
    name: 'COOLER_REJECTS_KEPT',
    default: '100000',
    about: 'rejected events kept; beyond it the oldest are dropped, and counted',
  },
  {
    name: 'COOLER_REPORT_CACHE_MB',
    default: '128',
    about: 'MiB of reports of all devices that are kept until a rollup changes them, 0 to 65536; 0: none',
  },
  {
    name: 'COOLER_BODY_LIMIT_MB',
    default: '32',
    about: 'largest body of telemetry in MiB, 1 to 512; other calls take less',
  },
  {
    name: 'COOLER_THREADS',
    default: '0',
    about: 'threads that roll up, and that land files, 1 to 64; 0: one for each core',
  },
  { name: 'COOLER_TRACES', default: '0', about: '1: OpenTelemetry spans of what goes through the queue' },
  { name: 'COOLER_MAP_TILES', default: '', about: 'URL of map tiles with {z}, {x} and {y}; none: an outline' },
  { name: 'COOLER_MAP_ATTRIBUTION', default: '', about: 'whose map tiles these are, as their makers want it told' },
  {
    name: 'COOLER_MQTT_USERNAME',
    default: '',
    about: 'user of `cooler bridge`, and of messages, at the MQTT broker, instead of the one in its URL',
  },
  {
    name: 'COOLER_MQTT_PASSWORD',
    default: '',
    about: 'password of that user; --password-file comes before it, the URL after it',
  },
  {
    name: 'COOLER_PUBLIC_URL',
    default: '',
    about: 'https:// URL under which people reach this service; none: messages have no links',
  },
  {
    name: 'COOLER_SMTP_URL',
    default: '',
    about: 'smtps:// or smtp:// URL of the mail server, with user and password; none: no e-mail',
  },
  { name: 'COOLER_MAIL_FROM', default: '', about: 'address that e-mail is sent from; none: no e-mail' },
  {
    name: 'COOLER_NOTIFY_MQTT_URL',
    default: '',
    about: 'mqtts:// or mqtt:// URL of the broker that messages are published at; none: no publishing',
  },
  {
    name: 'COOLER_WEBHOOK_PRIVATE',
    default: '0',
    about: '1: webhooks may go to private addresses and to this machine',
  },
  {
    name: 'COOLER_DELIVERY_FOLDER',
    default: '',
    about: 'existing folder within which subscriptions may put files; none: no files are put into folders',
  },
  {
    name: 'COOLER_S3_ENDPOINT',
    default: '',
    about: 'aws, or URL of an S3-compatible server, to whose buckets files are delivered; none: to no bucket',
  },
] as const satisfies readonly Setting[]

export type SettingName = (typeof SETTINGS)[number]['name']

export const SETTING_DEFAULTS = Object.fromEntries(
  SETTINGS.map((setting) => [setting.name, setting.default]),
) as Record<SettingName, string>
