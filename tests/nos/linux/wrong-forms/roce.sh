#!/bin/bash
# made: mistakes that the tools take for something else, or refuse
mlnx_qos –i ens1np0 --pfc 0,0,0,1,0,0,0,0
mlnx_qos -i ens1np0 --pfc “0,0,0,1,0,0,0,0”
mlnx_qos -i ens1np0 --tc_bw 50,0,0,50,0,0,0,0
mlnx_qos -i ens1np0 --prio 0,1,2,3,4,5,6,7
mlnx_qos -i ens1np0 --pfc 0,0,0,1
mlnx_qos -i ens1np0 --pfc 0,0,0,2,0,0,0,0
mlnx_qos -i ens1np0 --trust tos
mlnx_qos -i ens1np0 --dscp2prio set,64,3
mlnx_qos ens1np0
mlnx_qos -i
mlnx_qos -i ens1np0 --verbose
cma_roce_tos -d mlx5_0 -t 300
cma_roce_tos –d mlx5_0 -t 106
lldptool -T -i ens1np0 -V PFC enabled=0,0,0,1,0,0,0,0
lldptool -T -i ens2np0 -V PFC enabled=3,4 willing=no
lldptool -T -i ens2np0 -V PFC willing=no
lldptool -T -i ens2np0 -V APP app=3,5,26
lldptool -T -i ens2np0 -V ETS-CFG willing=no up2tc=0:0,1:0,2:0,3:1,4:0,5:0,6:0,7:2
export NCCL_IB_TC=26
export NVSHMEM_IB_TRAFFIC_CLASS=abc
