"""A Slurm of this machine alone, for a test: munged, slurmctld and slurmd of one node in a directory of their own."""
import os
import shutil
import socket
import subprocess
import time

CONF = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={dir}/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={dir}/state
SlurmdSpoolDir={dir}/spool
SlurmctldPidFile={dir}/ctld.pid
SlurmdPidFile={dir}/d.pid
SlurmctldLogFile={dir}/ctld.log
SlurmdLogFile={dir}/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldPort={port}
SlurmdPort={second}
MpiDefault=none
MaxArraySize={array}
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=2,batch_sched_delay=0
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=p Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
PROGRAMS = ('munged', 'mungekey', 'slurmctld', 'slurmd', 'sbatch', 'squeue', 'scontrol')


def absent():
    """The reason why there can be no Slurm here, or None."""
    path = os.environ['PATH'] + ':/usr/sbin:/sbin'
    missing = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if missing:
        return 'without Slurm: there is no ' + ', '.join(missing)
    return None if os.geteuid() == 0 else 'without Slurm: its daemons start as root alone'


class Slurm:
    def __init__(self, directory, array=1001):
        self.dir = directory
        self.host = socket.gethostname().split('.')[0]
        self.started = []
        os.environ['PATH'] += ':/usr/sbin:/sbin'
        for name in ('state', 'spool'):
            os.makedirs(os.path.join(directory, name))
        os.chmod(directory, 0o755)
        port = self.free_port()
        with open(os.path.join(directory, 'slurm.conf'), 'w', encoding='utf-8') as file:
            file.write(CONF.format(dir=directory, host=self.host, port=port, second=self.free_port(), array=array,
                                   cpus=os.cpu_count()))
        os.environ['SLURM_CONF'] = file.name
        key = os.path.join(directory, 'munge.key')
        subprocess.run(['mungekey', '--create', '--keyfile', key], check=True)
        self.start('munged', '--foreground', '--force', '--key-file', key, '--socket', os.path.join(directory, 'munge.socket'),
                   '--pid-file', os.path.join(directory, 'munge.pid'), '--log-file', os.path.join(directory, 'munge.log'),
                   '--seed-file', os.path.join(directory, 'munge.seed'))
        self.start('slurmctld', '-D')
        self.start('slurmd', '-D')
        self.wait(lambda: 'idle' in self.ask('sinfo', '--noheader', '--format=%T'), 'a node that is idle')

    @staticmethod
    def free_port():
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            return free.getsockname()[1]

    def start(self, *words):
        self.started.append(subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def ask(self, *words):
        return subprocess.run(words, capture_output=True, text=True, check=False).stdout

    @staticmethod
    def wait(condition, what, seconds=120):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise TimeoutError('no ' + what)
            time.sleep(0.2)

    def stop(self):
        self.ask('scancel', '--full', '--user=root')
        for process in reversed(self.started):
            process.terminate()
            process.wait(timeout=60)
